/// The registry of SBP/1's error codes, which are the contract. A code's number and whether it ends the connection
/// follow from it.
///
/// On the wire: `{"op":"err","code":"dup_sid","num":409,"message":"…","fatal":false}`.
package enum BusErrorCode: String, CaseIterable, Sendable {
    /// The bytes are not a frame, or the header is not strict JSON. Bytes after it cannot be trusted.
    case badFrame = "bad_frame"
    /// An unknown op, an unknown member, or an escape in a routing member. Only `sub`, `unsub` and `pub` refuse unknown
    /// members.
    case badHeader = "bad_header"
    /// A member is missing, has the wrong type or is out of range.
    case badMember = "bad_member"
    /// Something other than `connect`, `ping` or `bye` before `connect`.
    case authRequired = "auth_required"
    /// Wrong credentials, or a method that is not offered.
    case authFailed = "auth_failed"
    /// No `connect` in time.
    case authTimeout = "auth_timeout"
    /// This user may not publish there.
    case permPub = "perm_pub"
    /// This user may not subscribe to that.
    case permSub = "perm_sub"
    /// `unsub` of a sid that does not exist.
    case unknownSid = "unknown_sid"
    /// Two pings were not answered.
    case stale
    /// The connection does not read the messages it subscribed to.
    case slowConsumer = "slow_consumer"
    /// `sub` with a sid in use.
    case dupSid = "dup_sid"
    /// A legal op at the wrong time, such as a second `connect`.
    case protocolState = "protocol_state"
    /// The same instance connected again. This is final for the older connection.
    case replaced
    /// H is over the limit.
    case headerTooLarge = "header_too_large"
    /// B is over the limit.
    case bodyTooLarge = "body_too_large"
    /// Not a subject, or not a pattern.
    case badSubject = "bad_subject"
    /// Not a queue name.
    case badQueue = "bad_queue"
    /// A subject that belongs to the broker.
    case reserved
    /// Not version 1.
    case version
    /// The port speaks TLS, and the client does not. The only frame that is sent there in the clear.
    case tlsRequired = "tls_required"
    /// Over the subscriptions of one connection.
    case tooManySubs = "too_many_subs"
    /// Over the connections of the broker.
    case tooManyConns = "too_many_conns"
    /// Messages were dropped for subscriptions with `overflow: "drop"`.
    case slowDrop = "slow_drop"
    /// A bug in the broker.
    case internalError = "internal"
    /// The broker is stopping.
    case shuttingDown = "shutting_down"

    /// The code's number, in the manner of HTTP statuses.
    package var num: Int {
        switch self {
        case .badFrame, .badHeader, .badMember: 400
        case .authRequired, .authFailed, .authTimeout: 401
        case .permPub, .permSub: 403
        case .unknownSid: 404
        case .stale, .slowConsumer: 408
        case .dupSid, .protocolState, .replaced: 409
        case .headerTooLarge, .bodyTooLarge: 413
        case .badSubject, .badQueue, .reserved: 422
        case .version, .tlsRequired: 426
        case .tooManySubs, .tooManyConns, .slowDrop: 429
        case .internalError: 500
        case .shuttingDown: 503
        }
    }

    /// Whether the connection is closed after it. Before the `ok` of `connect` every error is fatal.
    package var isFatal: Bool {
        switch self {
        case .badFrame, .authRequired, .authFailed, .authTimeout, .stale, .slowConsumer, .protocolState, .replaced,
            .headerTooLarge, .bodyTooLarge, .version, .tlsRequired, .tooManyConns, .internalError, .shuttingDown:
            true
        case .badHeader, .badMember, .permPub, .permSub, .unknownSid, .dupSid, .badSubject, .badQueue, .reserved,
            .tooManySubs, .slowDrop:
            false
        }
    }
}
