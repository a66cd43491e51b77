/// A request to the store. The subclasses are the requests an app can make.
///
/// A started request retains itself until its delegate was called, so an app need not hold it. Apple asks for a strong
/// reference, and much code does without one. The delegate is not retained.
open class SKRequest: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: what changes is behind the lock.
    private enum Phase {
        case idle
        case running(any RunningRequest)
        case over
    }

    private struct State: @unchecked Sendable {
        // Unchecked: the delegate is the app's, and is called on the callback queue alone.
        var phase = Phase.idle
        var queue: SKPaymentQueue?
        weak var listener: (any SKRequestDelegate)?
    }

    private let state = Locked(State())

    public override init() { super.init() }

    /// Whose store is asked; the default queue's unless the request was made for another.
    var queue: SKPaymentQueue {
        get { state.withLock { $0.queue } ?? .default() }
        set { state.withLock { $0.queue = newValue } }
    }

    /// The delegate that is called at the end. A subclass gives it its own type.
    var listener: (any SKRequestDelegate)? {
        get { state.withLock { $0.listener } }
        set { state.withLock { $0.listener = newValue } }
    }

    /// Sends the request. It can be sent once; a second call does nothing.
    ///
    /// - Precondition: A store is configured, by ``StoreConnection/use(_:)`` or the environment.
    open func start() {
        let isFirst = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .running(NotYetRunning())
            return true
        }
        guard isFirst else { return }
        if let listener {
            InheritedConformance.warn(of: listener, as: "delegate", queue.core.connection) {
                $0 is any SKRequestDelegate.Type
            }
        }
        let running = send()
        let isOver = state.withLock { state in
            guard case .running = state.phase else { return true }
            state.phase = .running(running)
            return false
        }
        if isOver { running.cancel() }
    }

    /// Cancels the request; its delegate is not called any more. A callback that has begun runs to its end.
    open func cancel() {
        let running: (any RunningRequest)? = state.withLock { state in
            defer { state.phase = .over }
            guard case .running(let running) = state.phase else { return nil }
            return running
        }
        running?.cancel()
    }

    /// Sends the request. The returned object retains it until it has ended.
    func send() -> any RunningRequest { NotYetRunning() }

    /// Whether the delegate may still be called. True once.
    func end() -> Bool {
        state.withLock { state in
            defer { state.phase = .over }
            guard case .running = state.phase else { return false }
            return true
        }
    }
}

/// Gives every request a `delegate`; subclasses shadow it with one of their own type, which an override could not do.
public protocol RequestWithDelegate: SKRequest {}

extension RequestWithDelegate {
    /// The delegate, not retained.
    public var delegate: (any SKRequestDelegate)? {
        get { listener }
        set { listener = newValue }
    }
}

extension SKRequest: RequestWithDelegate {}

/// Something under way that can be stopped.
protocol RunningRequest: Sendable {
    func cancel()
}

/// Between `start()` and the first byte there is nothing to stop.
private struct NotYetRunning: RunningRequest {
    func cancel() {}
}

/// Receives the end of a request: one of the two methods is called, once. Called on the queue's callback queue
/// (``SKPaymentQueue``).
///
/// Both methods are optional. A subclass cannot add a method that its superclass leaves out, because Swift has no
/// optional methods without Objective-C: declare it in the class that conforms, and override it.
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    /// - Parameter error: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
