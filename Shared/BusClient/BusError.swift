import BusProtocol
import EventLoop

/// A failure on the bus: its code, a sentence, and the side that found it.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure, which is the contract. An extensible struct, because brokers learn new codes.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// As logs and metrics spell it.
        package let name: String

        /// Creates a code. A client may learn one from a newer broker.
        package init(_ name: String) { self.name = name }

        /// The name alone.
        package var description: String { name }

        /// No answer in time. The outcome is unknown.
        package static let timeout = Code("timeout")
        /// The subject has no subscriber. Nothing was done.
        package static let noResponders = Code("noResponders")
        /// Every subscriber of the subject is overloaded. Nothing was done.
        package static let overloaded = Code("overloaded")
        /// There is no connection, or it was lost while waiting. In the latter case the outcome is unknown.
        package static let disconnected = Code("disconnected")
        /// The member that took the request has gone without an answer. The outcome is unknown.
        package static let takerLost = Code("takerLost")
        /// The client was closed.
        package static let closed = Code("closed")
        /// The calling task was cancelled.
        package static let cancelled = Code("cancelled")
        /// The user may not publish or subscribe there.
        package static let permissionDenied = Code("permissionDenied")
        /// The broker refused the credentials or the protocol version. Final.
        package static let authenticationFailed = Code("authenticationFailed")
        /// There is no TLS with the bus: a certificate that is refused, a file that cannot be used, or a side without it.
        package static let tlsFailed = Code("tlsFailed")
        /// The same instance connected again. Final.
        package static let replaced = Code("replaced")
        /// Header or message over the limits of the bus.
        package static let payloadTooLarge = Code("payloadTooLarge")
        /// The broker closed the connection because it was not read.
        package static let slowConsumer = Code("slowConsumer")
        /// Not a subject, a pattern or a queue name.
        package static let invalidSubject = Code("invalidSubject")
        /// Headers or key that may not travel.
        package static let invalidMessage = Code("invalidMessage")
        /// 1 MiB of events wait for a connection already.
        package static let bufferFull = Code("bufferFull")
        /// 65 536 requests are in flight on this connection already.
        package static let tooManyRequests = Code("tooManyRequests")
        /// `BUS_URL` cannot be read.
        package static let invalidURL = Code("invalidURL")
        /// One of the two sides broke the protocol.
        package static let protocolViolation = Code("protocolViolation")
        /// The broker refused for a reason without a code here. It may be too many subscriptions, a bug, or a code this
        /// version does not know.
        package static let refused = Code("refused")
    }

    /// The side that found the failure.
    package enum Origin: String, Sendable {
        case client, broker
    }

    /// The contract. Messages may change.
    package var code: Code
    /// A sentence for people.
    package var message: String
    /// `broker` when the broker refused, `client` when nothing was sent.
    package var origin: Origin

    /// Creates a failure that this side found, unless `origin` says otherwise.
    package init(_ code: Code, _ message: String, origin: Origin = .client) {
        self.code = code
        self.message = message
        self.origin = origin
    }

    /// Whether the same call may succeed later without a change. An idempotent request may then be sent again.
    package var isRetryable: Bool {
        switch code {
        case .timeout, .noResponders, .overloaded, .disconnected, .takerLost, .slowConsumer, .bufferFull,
            .tooManyRequests:
            true
        default: false
        }
    }

    /// Whether reconnecting is pointless: the client ends with it.
    package var isFinal: Bool { code == .authenticationFailed || code == .replaced }

    /// Code and message for logs.
    package var description: String { "\(code): \(message)" }
}

extension BusError {
    /// Translates a violation that an encoder or a parser of subjects found.
    package init(_ violation: BusViolation) {
        self.init(Self.code(of: violation.code), violation.reason)
    }

    /// Translates the broker's `err`.
    init(_ reply: ErrMessage) {
        let code = reply.known.map(Self.code(of:)) ?? .refused
        let text = reply.message.isEmpty ? reply.code : "\(reply.message) (\(reply.code))"
        self.init(code, text, origin: .broker)
    }

    /// Explains a failure of TLS with a remedy.
    /// - Parameters:
    ///   - peer: `broker` or `server`.
    ///   - address: The address that the client was given.
    package init(tls failure: TLSError, peer: String, address: String, authorities: String?) {
        let remedy =
            switch failure {
            case .file(.authorities, _, _): "BUS_TLS_CA names it"
            case .file(.certificate, _, _): "BUS_TLS_CERT names it, and BUS_TLS_KEY its key"
            case .file(.key, _, _): "BUS_TLS_KEY names it, and BUS_TLS_CERT its certificate"
            case .notTLS: "start the \(peer) with a certificate, or write an address without tls"
            case .wrongName:
                "write a name of the certificate in BUS_URL, or give the \(peer) a certificate for this one"
            case .expired: "give the \(peer) a new certificate and restart it"
            case .notYetValid: "compare the clocks of both machines"
            case .unknownIssuer:
                authorities.map { "\($0) (BUS_TLS_CA) must have the authority that signed it" }
                    ?? "name the file of the authority in BUS_TLS_CA"
            case .certificateRequired: "name a client certificate in BUS_TLS_CERT, and its key in BUS_TLS_KEY"
            case .certificateRefused:
                "the \(peer)'s authorities must have signed BUS_TLS_CERT, and it must be valid today"
            case .untrusted, .failed: "the \(peer)'s log may say more"
            }
        self.init(.tlsFailed, "\(address): the \(peer): \(failure); \(remedy)")
    }

    private static func code(of code: BusErrorCode) -> Code {
        switch code {
        case .authRequired, .authFailed, .version: .authenticationFailed
        case .permPub, .permSub, .reserved: .permissionDenied
        case .replaced: .replaced
        case .tlsRequired: .tlsFailed
        case .headerTooLarge, .bodyTooLarge: .payloadTooLarge
        case .slowConsumer: .slowConsumer
        case .badSubject, .badQueue: .invalidSubject
        case .badMember: .invalidMessage
        case .stale, .shuttingDown, .authTimeout, .tooManyConns: .disconnected
        case .badFrame, .badHeader, .protocolState, .dupSid, .unknownSid: .protocolViolation
        case .tooManySubs, .slowDrop, .internalError: .refused
        }
    }
}
