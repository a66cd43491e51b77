internal import StoreHTTP
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
        let response = try await call.send(request)
        return try response.body(of: DownloadRoutes.update(action))
    }
}

/// Fetches one content into its file, one range at a time.
///
/// A part bounds the memory used, and a broken connection costs only one part. `If-Range` prevents mixing the bytes of
/// two versions.
struct ContentTransfer: Sendable {
    let gateway: GatewayClient
    let timing: ClientTiming
    let downloadId: String
    /// The size of the whole content in bytes.
    let length: Int64
    let file: ContentFile
    /// Called after each part, with the number of bytes received so far.
    let progressed: @Sendable (Int64) -> Void

    /// Fetches the rest of the content.
    /// - Throws: ``StoreProblem`` when the gateway refuses the content, `URLError` when too many attempts failed, an
    ///   error of the file system, `CancellationError`.
    func run() async throws {
        guard !file.isComplete else { return progressed(length) }
        var (count, etag) = try file.received()
        if count > length { (count, etag) = try restart() }
        progressed(count)
        var attempts = 0
        var backoff = RetryBackoff(timing)
        while count < length {
            try Task.checkCancellation()
            do {
                let part = try await fetch(from: count, etag: etag)
                if let part {
                    try file.append(part.bytes, etag: part.etag)
                    (count, etag) = (count + Int64(part.bytes.count), part.etag)
                    progressed(count)
                    attempts = 0
                    backoff.reset()
                    continue
                }
                // The content was replaced.
                (count, etag) = try restart()
                progressed(0)
            } catch let error where Self.mayPass(error) {
                guard attempts < ClientLimits.contentAttemptsMax else { throw error }
                try await Task.sleep(for: backoff.next(atLeast: (error as? StoreProblem)?.retryAfter))
            }
            attempts += 1
            guard attempts <= ClientLimits.contentAttemptsMax else { throw URLError(.badServerResponse) }
        }
        try file.complete()
    }

    /// The size of a part, small enough that small content reports progress too.
    static func partBytes(of length: Int64) -> Int64 {
        min(max(length / 20, ClientLimits.contentPartBytes.lowerBound), ClientLimits.contentPartBytes.upperBound)
    }

    private func restart() throws -> (Int64, String?) {
        try file.forget()
        return (0, nil)
    }

    /// - Returns: The part, or nil if the content was replaced.
    private func fetch(from start: Int64, etag: String?) async throws -> (bytes: [UInt8], etag: String)? {
        let end = min(start + Self.partBytes(of: length), length)
        var call = HTTPCall(DownloadRoutes.content, [.id: downloadId])
        call.headers["Range"] = "bytes=\(start)-\(end - 1)"
        call.headers["If-Range"] = etag
        call.limit = Int(Self.partBytes(of: length))
        let response: HTTPResponse
        do {
            response = try await gateway.send(call)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            // The gateway sent the whole content, because it was replaced.
            return nil
        }
        switch response.status {
        case 206:
            let begins = response.headers["content-range"]?.hasPrefix("bytes \(start)-") ?? false
            guard begins, !response.body.isEmpty, let tag = response.headers["etag"], tag == etag ?? tag else {
                return nil
            }
            return (response.body, tag)
        case 200 where start == 0 && response.body.count == length:
            return (response.body, response.headers["etag"] ?? "")
        case 200, 416: return nil
        default: throw StoreProblem(status: response.status, body: response.body)
        }
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let problem as StoreProblem: problem.status >= 500 || problem.status == 429
        case let error as URLError: error.code != .cancelled && error.code != .dataLengthExceedsMaximum
        default: false
        }
    }
}

/// The files of one download's content, partial and complete.
///
/// ```
/// <directory>/<download>/content.part    the bytes received so far
/// <directory>/<download>/content.etag    the entity tag of these bytes
/// <directory>/<download>/<identifier>-<version>    the complete content
/// ```
/// A download continues after a restart of the process. Different content under the same download begins anew.
struct ContentFile: Sendable {
    private let folder: URL
    private let part: URL
    private let tag: URL
    /// The complete content.
    let url: URL

    init(directory: URL, downloadId: String, contentIdentifier: String, contentVersion: String) {
        folder = directory.appendingPathComponent(PercentEncoding.encode(downloadId), isDirectory: true)
        part = folder.appendingPathComponent("content.part")
        tag = folder.appendingPathComponent("content.etag")
        url = folder.appendingPathComponent(PercentEncoding.encode("\(contentIdentifier)-\(contentVersion)"))
    }

    /// Whether the complete content exists.
    var isComplete: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Reads how much of the content has arrived, and creates the folder.
    /// - Returns: The number of bytes and the entity tag of their content. The number is zero without a tag.
    /// - Throws: An error of the file system.
    func received() throws -> (count: Int64, etag: String?) {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard let etag = try? String(contentsOf: tag, encoding: .utf8),
            let size = try? FileManager.default.attributesOfItem(atPath: part.path)[.size] as? NSNumber
        else {
            try forget()
            return (0, nil)
        }
        return (size.int64Value, etag)
    }

    /// Appends the next bytes, and writes the entity tag with the first ones.
    func append(_ bytes: [UInt8], etag: String) throws {
        if !FileManager.default.fileExists(atPath: part.path) {
            try Data().write(to: part)
            try Data(etag.utf8).write(to: tag, options: .atomic)
        }
        let handle = try FileHandle(forWritingTo: part)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(bytes))
    }

    /// Discards the received bytes.
    func forget() throws {
        for url in [part, tag] where FileManager.default.fileExists(atPath: url.path) {
            try FileManager.default.removeItem(at: url)
        }
    }

    /// Moves the received bytes to `url`.
    func complete() throws {
        if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
        if isComplete { try FileManager.default.removeItem(at: url) }
        try FileManager.default.moveItem(at: part, to: url)
        try? FileManager.default.removeItem(at: tag)
    }

    /// Removes the folder with all its files.
    func remove() { try? FileManager.default.removeItem(at: folder) }
}
