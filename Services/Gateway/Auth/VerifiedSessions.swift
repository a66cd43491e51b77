import EventLoop
import StoreModels

/// Cache of recently verified session tokens, so that a signature is not verified with every request.
///
/// The whole token is the key: a token that differs in one byte is not found and is verified. Expiry is checked on each
/// use. The cache is in memory only and bounded.
final class VerifiedSessions: Sendable {
    /// Maximum number of cached tokens, a few megabytes.
    static let countMax = 8192

    private let claims = Locked<[ExactText: SessionClaims]>([:])

    subscript(token: String) -> SessionClaims? { claims.withLock { $0[token] } }

    /// Remembers a verified token. At the bound all are dropped, which costs each one verification and no bookkeeping.
    func remember(_ token: String, _ verified: SessionClaims) {
        claims.withLock { claims in
            if claims.count >= Self.countMax { claims.removeAll(keepingCapacity: true) }
            claims[token] = verified
        }
    }
}
