import Foundation
internal import StoreModels

/// Performs the app's calls on downloads: sends them to the store and fetches the content.
///
/// The operations on one download run one after the other. Pausing and cancelling interrupt a transfer. The store's
/// stream reports the state of a download, and the library itself measures its progress.
final class DownloadQueue: Sendable {
    /// The last enqueued operation of each download.
    private struct Work: Sendable {
        var next = 0
        var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    }

    private let call: RepeatedCall
    private let directory: URL
    private let work = LockedValue(Work())
    /// Called after progress and after a failure.
    private let changed: @Sendable (SKDownload) -> Void

    init(_ call: RepeatedCall, directory: URL, changed: @escaping @Sendable (SKDownload) -> Void) {
        self.call = call
        self.directory = directory
        self.changed = changed
    }

    deinit { for work in work.withLock({ $0.last.values }) { work.task.cancel() } }

    /// Returns the files of a download's content.
    func file(of model: Download) -> ContentFile {
        ContentFile(
            directory: directory, downloadId: model.id, contentIdentifier: model.contentIdentifier,
            contentVersion: model.contentVersion)
    }

    func perform(_ action: DownloadAction, on download: SKDownload) {
        guard let model = download.model else { return }
        let run = DownloadRun(call: call, download: download, model: model, file: file(of: model), changed: changed)
        enqueue(model.id, interrupts: action == .pause || action == .cancel) { await run.perform(action) }
    }

    /// Removes partial content after its transaction has left the queue. Complete content belongs to the app.
    func forget(_ model: Download) {
        enqueue(model.id, interrupts: true) { [file = file(of: model)] in try? file.forget() }
    }

    private func enqueue(_ id: String, interrupts: Bool, _ operation: @escaping @Sendable () async -> Void) {
        work.withLock { work in
            let before = work.last[id]?.task
            if interrupts { before?.cancel() }
            let number = work.next
            work.next += 1
            // Unstructured, because StoreKit's calls return immediately. It is kept so that the next one waits for it.
            let task = Task { [weak self] in
                await before?.value
                await operation()
                self?.ended(id, number)
            }
            work.last[id] = (number, task)
        }
    }

    private func ended(_ id: String, _ number: Int) {
        work.withLock { work in
            if work.last[id]?.number == number { work.last[id] = nil }
        }
    }
}
