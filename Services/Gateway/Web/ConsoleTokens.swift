import Crypto
import Signing
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Issues and verifies the console's tokens. They are stateless, so any gateway with the same keys accepts them.
///
/// A token is 57 bytes in Base64: its purpose, its expiry in milliseconds, 16 random bytes, and their HMAC-SHA256. No two
/// texts are the same token, or a ticket could be used again in another spelling.
struct ConsoleTokens: Sendable {
    enum Purpose: UInt8, CaseIterable, Sendable {
        /// The value of the cookie.
        case session = 1
        /// The ticket that `storebus open` puts into the address.
        case ticket = 2

        var lifetime: Duration {
            switch self {
            case .session: .seconds(12 * 60 * 60)
            case .ticket: .seconds(60)
            }
        }
    }

    /// The first byte of the text that a CSRF token authenticates. No purpose has it.
    private static let csrf: UInt8 = 0
    private static let signedCount = 1 + 8 + 16
    private static let byteCount = signedCount + 32

    private let key: SymmetricKey

    /// - Parameter key: The key of all three kinds of tokens.
    init(key: SymmetricKey) { self.key = key }

    /// - Returns: The token and the time from which it is refused.
    func issue(_ purpose: Purpose, now: Timestamp) -> (token: String, expiresAt: Timestamp) {
        let expiresAt = now + purpose.lifetime
        var bytes = [purpose.rawValue]
        bytes += withUnsafeBytes(of: expiresAt.milliseconds.bigEndian, Array.init)
        var generator = SystemRandomNumberGenerator()
        bytes += (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes += HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return (Base64URL.encode(bytes), expiresAt)
    }

    /// Verifies a token, in a time that does not depend on its content.
    /// - Returns: Its expiry, or nil for a token that is altered, expired or for another purpose.
    func expiry(of token: String, as purpose: Purpose, now: Timestamp) -> Timestamp? {
        guard token.utf8.count == Self.byteCount / 3 * 4, let bytes = Base64URL.decode(token) else { return nil }
        let (signed, code) = (bytes[..<Self.signedCount], bytes[Self.signedCount...])
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key),
            signed.first == purpose.rawValue
        else { return nil }
        let milliseconds = signed[1..<9].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let expiresAt = Timestamp(milliseconds: milliseconds)
        return expiresAt > now ? expiresAt : nil
    }

    /// Returns the CSRF token of a session's token.
    func csrfToken(of session: String) -> String {
        Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Self.csrfInput(session), using: key)))
    }

    /// Compares a CSRF token with that of a session, in constant time.
    func isCSRFToken(_ text: String, of session: String) -> Bool {
        guard let code = Base64URL.decode(text) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Self.csrfInput(session), using: key)
    }

    private static func csrfInput(_ session: String) -> [UInt8] { [csrf] + session.utf8 }
}
