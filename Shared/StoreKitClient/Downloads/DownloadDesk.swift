import Foundation
internal import StoreModels

/// Performs the app's calls on downloads: notifies the store, and fetches the content.
///
/// One operation after the other for each download; pausing and cancelling interrupt a transfer. The state an app sees
/// is the store's, as its stream reports it; progress is the library's.
final class DownloadDesk: Sendable {
    /// The last thing under way for each download.
    private struct Work: Sendable {
        var next = 0
        var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    }

    private let call: RepeatedCall
    private let directory: URL
    private let work = Locked(Work())
    /// A download has come further, or could not be carried out.
    private let changed: @Sendable (SKDownload) -> Void

    init(_ call: RepeatedCall, directory: URL, changed: @escaping @Sendable (SKDownload) -> Void) {
        self.call = call
        self.directory = directory
        self.changed = changed
    }

    deinit { for work in work.withLock({ $0.last.values }) { work.task.cancel() } }

    /// The file of a download's content, once it is complete.
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

    /// The transaction has left the queue. Partial content is removed; complete content belongs to the app.
    func forget(_ model: Download) {
        enqueue(model.id, interrupts: true) { [file = file(of: model)] in try? file.forget() }
    }

    private func enqueue(_ id: String, interrupts: Bool, _ operation: @escaping @Sendable () async -> Void) {
        work.withLock { work in
            let before = work.last[id]?.task
            if interrupts { before?.cancel() }
            let number = work.next
            work.next += 1
            // Unstructured, because StoreKit's calls return immediately. Kept until the next one, so that they take
            // turns.
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
