import EventLoop
import StoreModels

/// Sessions whose tokens were verified lately, so that a signature is checked once and not with every request.
///
/// The whole token is the key: a token that differs in one byte is not found and is verified. Whether a session has ended
/// is asked again each time. Kept in memory only, and in bounds.
final class VerifiedSessions: Sendable {
    /// A few megabytes.
    static let countMax = 8192

    private let claims = Locked<[ExactText: SessionClaims]>([:])

    subscript(token: String) -> SessionClaims? { claims.withLock { $0[token] } }

    /// At the bound all are forgotten, which costs each one verification and no bookkeeping.
    func remember(_ token: String, _ verified: SessionClaims) {
        claims.withLock { claims in
            if claims.count >= Self.countMax { claims.removeAll(keepingCapacity: true) }
            claims[token] = verified
        }
    }
}
