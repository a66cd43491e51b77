/// The superclass of the requests an app can make.
///
/// A started request retains itself until it has called its delegate, although Apple requires the app to keep it. It
/// does not retain the delegate.
open class SKRequest: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: all state is behind the lock.
    private enum Phase {
        case idle
        /// With the request's task, or nil between `start()` and sending.
        case running(Task<Void, Never>?)
        case over
    }

    private struct State: @unchecked Sendable {
        // Unchecked: the app's delegate is called on the callback queue only.
        var phase = Phase.idle
        var queue: SKPaymentQueue?
        weak var listener: (any SKRequestDelegate)?
    }

    private let state = LockedValue(State())

    /// Creates a request that sends nothing, for subclasses in an app's tests.
    public override init() { super.init() }

    /// The queue whose store receives the request, by default the default queue.
    var queue: SKPaymentQueue {
        get { state.withLock { $0.queue } ?? .default() }
        set { state.withLock { $0.queue = newValue } }
    }

    /// The delegate, not retained. A subclass exposes it under its own type.
    var listener: (any SKRequestDelegate)? {
        get { state.withLock { $0.listener } }
        set { state.withLock { $0.listener = newValue } }
    }

    /// Sends the request. It can be sent once, and a second call does nothing.
    ///
    /// - Precondition: A store is configured, by ``StoreConnection/use(_:)`` or the environment.
    open func start() {
        let isFirst = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .running(nil)
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
        if isOver { running?.cancel() }
    }

    /// Cancels the request. Its delegate is not called afterwards. A callback that has begun runs to its end.
    open func cancel() {
        let running: Task<Void, Never>? = state.withLock { state in
            defer { state.phase = .over }
            guard case .running(let running) = state.phase else { return nil }
            return running
        }
        running?.cancel()
    }

    /// Sends the request. The returned task retains the request until it has ended.
    func send() -> Task<Void, Never>? { nil }

    /// Ends the request.
    /// - Returns: Whether to call the delegate. True once.
    func end() -> Bool {
        state.withLock { state in
            defer { state.phase = .over }
            guard case .running = state.phase else { return false }
            return true
        }
    }
}

/// Gives every request a `delegate`. A subclass shadows it with one of its own type, which an override could not do.
public protocol RequestWithDelegate: SKRequest {}

extension RequestWithDelegate {
    /// The delegate, not retained.
    public var delegate: (any SKRequestDelegate)? {
        get { listener }
        set { listener = newValue }
    }
}

extension SKRequest: RequestWithDelegate {}

/// Receives the end of a request: the request calls one of the two methods, once. The methods are called on the
/// callback queue (``SKPaymentQueue``).
///
/// Both methods are optional. A subclass cannot add a method that its superclass leaves out, because Swift has no
/// optional methods without Objective-C. Declare it in the class that conforms, and override it.
public protocol SKRequestDelegate: NSObjectProtocol {
    /// Reports that the request has succeeded.
    func requestDidFinish(_ request: SKRequest)
    /// Reports that the request has failed.
    /// - Parameter error: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
