import Foundation
internal import StoreModels

/// `SKDownload.timeRemaining` when nothing is known of the speed.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1

/// A package of content that comes with a transaction.
///
/// One object for one download, which says how far it is at the moment it is asked. `queue.start(_:)` fetches it; when it
/// is `.finished`, `contentURL` is a file, which the app moves to its own place before it finishes the transaction.
public final class SKDownload: NSObject, Sendable {
    private struct State: Sendable {
        var model: Download
        var owner: QueuedTransaction
        var progress: DownloadProgress
        var contentURL: URL?
        /// The store could not be told to start it.
        var failure: SKError?
    }

    let id: String
    private let locked: Locked<State>

    init(_ model: Download, of owner: QueuedTransaction) {
        id = model.id
        locked = Locked(
            State(model: model, owner: owner, progress: DownloadProgress(expected: model.contentLength)))
    }

    public var state: SKDownloadState {
        locked.withLock { $0.failure == nil ? SKDownloadState($0.model.state) : .failed }
    }
    public var contentIdentifier: String { model.contentIdentifier }
    /// Dotted integers, `1.0`.
    public var contentVersion: String { model.contentVersion }
    /// Bytes.
    public var contentLength: Int64 { model.contentLength }
    /// Bytes; the same as `contentLength`.
    public var expectedContentLength: Int64 { model.contentLength }
    /// 0…1.
    public var progress: Float {
        locked.withLock { $0.model.state == .finished ? 1 : $0.progress.fraction }
    }
    /// Seconds at the speed so far; `SKDownloadTimeRemainingUnknown` when there is none.
    public var timeRemaining: TimeInterval {
        locked.withLock { $0.progress.secondsRemaining } ?? SKDownloadTimeRemainingUnknown
    }
    /// The content as one file, once it is `.finished` on this device; nil before.
    public var contentURL: URL? { locked.withLock { $0.model.state == .finished ? $0.contentURL : nil } }
    /// An ``SKError`` in `.failed`; nil in every other state.
    public var error: (any Error)? { locked.withLock { $0.failure ?? $0.model.error.map { SKError($0) } } }
    /// What it comes with.
    public var transaction: SKPaymentTransaction {
        let owner = locked.withLock { $0.owner }
        let downloads = owner.model.downloads.map { $0.id == id ? self : SKDownload($0, of: owner) }
        return SKPaymentTransaction(owner, downloads: downloads)
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? SKDownload)?.id == id }
    public override var hash: Int { id.hashValue }
}

extension SKDownload {
    var model: Download { locked.withLock { $0.model } }

    /// The store says how it is now.
    func update(_ model: Download, of owner: QueuedTransaction) {
        locked.withLock { state in
            state.owner = owner
            guard state.model != model else { return }
            state.model = model
            state.failure = nil
        }
    }

    func update(progress change: (inout DownloadProgress) -> Void) { locked.withLock { change(&$0.progress) } }

    /// The content lies there; told to the app when the store knows, too.
    func arrived(at url: URL) { locked.withLock { $0.contentURL = url } }

    func failed(_ error: SKError?) { locked.withLock { $0.failure = error } }
}
