import Foundation
internal import StoreHTTP
internal import StoreModels

/// Performs one action on one download.
struct DownloadRun: Sendable {
    let call: RepeatedCall
    let download: SKDownload
    /// The download at the time of the app's call.
    let model: Download
    let file: ContentFile
    /// Called after progress and after a failure.
    let changed: @Sendable (SKDownload) -> Void

    func perform(_ action: DownloadAction) async {
        do {
            let model = try await tell(action)
            switch action {
            case .start, .resume: if model.state == .active { try await transfer() }
            case .cancel: file.remove()
            case .pause, .finish, .fail: break
            }
        } catch {
            failed(error)
        }
    }

    /// Reports a failure to the app. An action that the state does not allow (409) has no effect, as in StoreKit.
    private func failed(_ error: any Error) {
        guard !Task.isCancelled, !(error is CancellationError) else { return }
        if let problem = error as? StoreProblem, problem.status == 409 {
            call.gateway.connection.log?("a download is in no state for that: \(problem.code)")
            return
        }
        download.failed((error as? SKError) ?? SKError(cause: error))
        changed(download)
    }

    private func transfer() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let isFirst = LockedValue(true)
        let transfer = ContentTransfer(
            gateway: call.gateway, timing: call.timing, downloadId: model.id, length: model.contentLength,
            file: file
        ) { [download, changed] received in
            let now = start.duration(to: clock.now)
            let begins = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            download.update { progress in
                if begins { progress.begin(received: received, at: now) } else { progress.receive(received, at: now) }
            }
            if !begins { changed(download) }
        }
        defer { download.update { $0.stop() } }
        do {
            try await transfer.run()
            download.arrived(at: file.url)
            _ = try await tell(.finish)
        } catch {
            // The store reports the failure to the app on its stream. Without the store, `perform` does.
            guard !Task.isCancelled, !(error is CancellationError) else { throw error }
            guard (try? await tell(.fail)) != nil else { throw error }
        }
    }

    /// Sends the action to the store.
    /// - Returns: The download in its new state.
    private func tell(_ action: DownloadAction) async throws -> Download {
        let request = HTTPCall(DownloadRoutes.update(action), [.id: model.id], body: OptionalError())
        let response = try await call.send(request, retryTimeout: call.timing.retryTimeout)
        return try response.body(of: DownloadRoutes.update(action))
    }
}
