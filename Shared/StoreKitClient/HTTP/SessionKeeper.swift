internal import StoreHTTP
internal import StoreModels

/// Keeps the session of this launch. It opens one when it is first needed, and again when the gateway refuses the
/// token.
///
/// Callers that need a session while it is being opened wait for the same one. It uses completions instead of tasks: a
/// thread that blocks in `canMakePayments()` may belong to the task pool.
final class SessionKeeper: Sendable {
    typealias Completion = @Sendable (Result<SessionResponse, any Error>) -> Void

    private struct State: Sendable {
        var session: SessionResponse?
        var waiting: [Completion]?
        /// Whether the store ended this session's stream for a newer launch of the app.
        var isSuperseded = false
        /// How the app handles promoted purchases. The next session declares it.
        var handler = DeviceLaunch.PromotedPurchases.none
        /// The handling that `session` declared.
        var handlerSaid = DeviceLaunch.PromotedPurchases.none
    }

    private let connection: StoreConnection
    private let transport: HTTPTransport
    private let changed: @Sendable (StoreModels.Storefront) -> Void
    private let state = LockedValue(State())

    /// - Parameter changed: Called with the new storefront when a new session has another one than the session before.
    init(
        _ connection: StoreConnection, _ transport: HTTPTransport,
        changed: @escaping @Sendable (StoreModels.Storefront) -> Void
    ) {
        self.connection = connection
        self.transport = transport
        self.changed = changed
    }

    /// The current session, or nil before the first.
    var current: SessionResponse? { state.withLock { $0.session } }

    /// Records that the customer has moved to another storefront.
    func moved(to storefront: StoreModels.Storefront) { state.withLock { $0.session?.storefront = storefront } }

    /// Returns a session, opening one when needed.
    /// - Parameter refused: A token that the gateway refused. A session with this token is replaced.
    func session(insteadOf refused: String? = nil, _ completion: @escaping Completion) {
        enum Step { case response(SessionResponse), wait, open }
        let step = state.withLock { state -> Step in
            if let session = state.session, session.token != refused, state.waiting == nil { return .response(session) }
            defer { state.waiting = (state.waiting ?? []) + [completion] }
            return state.waiting == nil ? .open : .wait
        }
        switch step {
        case .response(let session): completion(.success(session))
        case .wait: break
        case .open: open()
        }
    }

    func session(insteadOf refused: String? = nil) async throws -> SessionResponse {
        try await withCheckedThrowingContinuation { continuation in
            session(insteadOf: refused) { continuation.resume(with: $0) }
        }
    }

    /// Records that the store ended a session's stream for a newer launch.
    /// - Returns: Whether that session is the newest of this process, so that the newer launch is another process.
    func superseded(_ token: String) -> Bool {
        state.withLock { state in
            guard state.session?.token == token, state.waiting == nil else { return false }
            state.isSuperseded = true
            return true
        }
    }

    /// Returns a session for a new launch of the app. It replaces a superseded session, and one that declared another
    /// handling of promoted purchases.
    func sessionForLaunch(_ handler: DeviceLaunch.PromotedPurchases) async throws -> SessionResponse {
        state.withLock { $0.handler = handler }
        while true {
            let old = state.withLock { state in
                defer { state.isSuperseded = false }
                return state.isSuperseded || state.handlerSaid != state.handler ? state.session?.token : nil
            }
            let session = try await session(insteadOf: old)
            // A session that was already being opened may have declared the earlier handling.
            if state.withLock({ $0.handlerSaid == $0.handler || $0.handler != handler }) { return session }
        }
    }

    /// Blocks until there is a session, at most for `wait`.
    /// - Returns: The session, or nil if the time was not enough or the request failed.
    func waitForFirst(_ wait: Duration) -> SessionResponse? {
        if let current { return current }
        let arrived = DispatchSemaphore(value: 0)
        session { _ in arrived.signal() }
        _ = arrived.wait(timeout: .now() + wait / .seconds(1))
        return current
    }

    private func open() {
        let handler = state.withLock { $0.handler }
        let call = HTTPCall(SessionRoutes.open, body: SessionRequest(connection, handler))
        guard let request = call.request(to: connection.gateway, token: nil) else {
            return opened(.failure(URLError(.badURL)), handler)
        }
        transport.start(
            request,
            WholeTransfer(limit: call.limit) { [self] result in
                opened(
                    result.flatMap { response in Result { try response.checked().body(of: SessionRoutes.open) } },
                    handler)
            })
    }

    private func opened(_ result: Result<SessionResponse, any Error>, _ handler: DeviceLaunch.PromotedPurchases) {
        let (waiting, isElsewhere) = state.withLock { state in
            var isElsewhere = false
            if case .success(let session) = result {
                isElsewhere = state.session.map { $0.storefront != session.storefront } ?? false
                state.session = session
                state.isSuperseded = false
                state.handlerSaid = handler
            }
            defer { state.waiting = nil }
            return (state.waiting ?? [], isElsewhere)
        }
        if isElsewhere, case .success(let session) = result { changed(session.storefront) }
        for completion in waiting { completion(result) }
    }
}

extension SessionRequest {
    /// Declares the launch of the app on its device.
    init(_ connection: StoreConnection, _ handler: DeviceLaunch.PromotedPurchases) {
        self.init(
            bundleId: connection.bundleId, deviceId: connection.deviceId, account: connection.account,
            platform: DeviceLaunch.Platform(rawValue: connection.platform.rawValue) ?? .other,
            osVersion: connection.osVersion,
            appVersion: connection.appVersion, storefront: connection.storefront, promotedPurchases: handler)
    }
}
