internal import StoreModels

/// The value of `SKDownload.timeRemaining` when the speed is unknown.
public let SKDownloadTimeRemainingUnknown: TimeInterval = -1

/// A package of hosted content that belongs to a transaction.
///
/// One object represents one download. Its properties give the progress at the time of the call. Fetch it with
/// `queue.start(_:)`. When it is `.finished`, `contentURL` is a file, which the app moves to its own directory before
/// it finishes the transaction.
open class SKDownload: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: all state is behind the lock.
    private struct State: Sendable {
        var model: Download
        var owner: QueuedTransaction
        var progress: DownloadProgress
        var contentURL: URL?
        /// The error of an action that failed on this device.
        var failure: SKError?
    }

    private let locked = LockedValue<State?>(nil)

    /// Creates an empty download, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ model: Download, of owner: QueuedTransaction) {
        self.init()
        locked.withLock {
            $0 = State(model: model, owner: owner, progress: DownloadProgress(expected: model.contentLength))
        }
    }

    /// The state as last reported by the store. It is `.failed` too after an action failed on this device.
    open var state: SKDownloadState {
        guard let state = locked.withLock({ $0 }) else { return .waiting }
        return state.failure == nil ? SKDownloadState(state.model.state) : .failed
    }
    /// The state, under the name of earlier SDKs.
    open var downloadState: SKDownloadState { state }
    /// The identifier of the content in its product.
    open var contentIdentifier: String { model?.contentIdentifier ?? "" }
    /// The version in dotted integers, `1.0`.
    open var contentVersion: String { model?.contentVersion ?? "" }
    /// The size in bytes.
    open var contentLength: Int64 { model?.contentLength ?? 0 }
    /// The size in bytes, the same as `contentLength`.
    open var expectedContentLength: Int64 { contentLength }
    /// The progress, 0…1.
    open var progress: Float {
        guard let state = locked.withLock({ $0 }) else { return 0 }
        return state.model.state == .finished ? 1 : state.progress.fraction
    }
    /// The remaining seconds at the speed so far, or `SKDownloadTimeRemainingUnknown` without a speed.
    open var timeRemaining: TimeInterval {
        locked.withLock { $0?.progress.secondsRemaining } ?? SKDownloadTimeRemainingUnknown
    }
    /// The content as one file, once it is `.finished` on this device. Nil before that.
    open var contentURL: URL? { locked.withLock { $0?.model.state == .finished ? $0?.contentURL : nil } }
    /// An ``SKError`` in `.failed`, or nil in every other state.
    open var error: (any Error)? {
        locked.withLock { state in state?.failure ?? state?.model.error.map { SKError($0) } }
    }
    /// The transaction that includes the download.
    open var transaction: SKPaymentTransaction {
        guard let state = locked.withLock({ $0 }) else { return SKPaymentTransaction() }
        let downloads = state.owner.model.downloads.map {
            $0.id == state.model.id ? self : SKDownload($0, of: state.owner)
        }
        return SKPaymentTransaction(state.owner, downloads: downloads)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let id = model?.id, let other = object as? SKDownload else { return super.isEqual(object) }
        return other.model?.id == id
    }
    open override var hash: Int { model?.id.hashValue ?? super.hash }
}

extension SKDownload {
    /// The download as last reported by the store. Nil if the store did not make it.
    var model: Download? { locked.withLock { $0?.model } }

    /// Replaces the state by the one the store reports, and clears an earlier failure.
    func update(_ model: Download, of owner: QueuedTransaction) {
        locked.withLock { state in
            state?.owner = owner
            guard state?.model != model else { return }
            state?.model = model
            state?.failure = nil
        }
    }

    func update(progress change: (inout DownloadProgress) -> Void) {
        locked.withLock { state in
            if var progress = state?.progress {
                change(&progress)
                state?.progress = progress
            }
        }
    }

    /// Records the content's location. `contentURL` returns it once the store reports `.finished`.
    func arrived(at url: URL) { locked.withLock { $0?.contentURL = url } }

    func failed(_ error: SKError?) { locked.withLock { $0?.failure = error } }
}

extension SKDownloadState {
    init(_ model: Download.State) {
        self =
            switch model {
            case .waiting: .waiting
            case .active: .active
            case .paused: .paused
            case .finished: .finished
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }
}

/// The progress and remaining time of one download. The type is pure, and the caller passes the time in.
struct DownloadProgress: Equatable, Sendable {
    private struct Start: Equatable {
        var received: Int64
        var at: Duration
    }

    /// The size of the content in bytes.
    let expected: Int64
    /// The bytes received so far, earlier transfers included.
    private(set) var received: Int64
    /// The received bytes and the time at the beginning of the transfer. Nil without a transfer.
    private var start: Start?
    private var last = Duration.zero

    init(expected: Int64, received: Int64 = 0) {
        self.expected = expected
        self.received = received
    }

    /// Begins a transfer after the bytes of an earlier one.
    mutating func begin(received: Int64, at now: Duration) {
        self.received = received
        start = Start(received: received, at: now)
        last = now
    }

    mutating func receive(_ received: Int64, at now: Duration) {
        self.received = received
        last = now
    }

    /// Ends the transfer, so that the remaining time becomes unknown.
    mutating func stop() { start = nil }

    /// The received fraction, 0…1. It is 1 for empty content.
    var fraction: Float {
        guard expected > 0 else { return 1 }
        return Float(min(1, max(0, Double(received) / Double(expected))))
    }

    /// The remaining seconds at the speed so far. Nil without a running transfer or a received byte.
    var secondsRemaining: Double? {
        if received >= expected { return 0 }
        guard let start, received > start.received, last > start.at else { return nil }
        let secondsPerByte = (last - start.at) / .seconds(1) / Double(received - start.received)
        return secondsPerByte * Double(expected - received)
    }
}
