import Cryptography
import EventLoop
import FoundationEssentials
import HTTPTypes
import Signing
import StoreHTTP
import StoreModels

/// The operator's sessions in browsers: a signed cookie in place of the admin key.
package struct ConsoleSessions: Sendable {
    /// Maximum number of remembered tickets. At the bound no more are accepted until one expires.
    static let ticketsMax = 4096

    private let adminKey: AdminKey
    private let tokens: ConsoleTokens
    private let now: @Sendable () -> Timestamp
    /// The tickets that have begun a session, with their expiry.
    private let used = Locked<[ExactText: Timestamp]>([:])

    /// - Parameters:
    ///   - sessionKey: The gateways' key of session tokens.
    ///   - now: The wall clock. Tests pass their own.
    package init(adminKey: AdminKey, sessionKey: SymmetricKey, now: @escaping @Sendable () -> Timestamp) {
        self.adminKey = adminKey
        self.tokens = ConsoleTokens(key: adminKey.consoleKey(sessionKey: sessionKey))
        self.now = now
    }

    /// Begins a session.
    /// - Returns: Its token, nil for another key, and for a ticket that is unknown, expired or used.
    package func begin(_ proof: ConsoleProof) -> String? {
        switch proof {
        case .key(let key): guard adminKey.matches(key) else { return nil }
        case .ticket(let ticket): guard use(ticket) else { return nil }
        }
        return tokens.issue(.session, now: now()).token
    }

    /// Issues a ticket, with which a browser begins one session.
    package func issueTicket() -> ConsoleTicket {
        let (ticket, expiresAt) = tokens.issue(.ticket, now: now())
        return ConsoleTicket(ticket: ticket, expiresAt: expiresAt)
    }

    /// Finds the token of a request's session among its cookies.
    /// - Returns: Nil when no cookie of the console has a valid one.
    package func token(in headers: HTTPFields) -> String? { session(in: headers)?.token }

    /// Returns the end of a request's session. Nil for a request with an `Authorization` header, or without a session.
    package func sessionEnd(in headers: HTTPFields) -> Timestamp? {
        headers[values: .authorization].isEmpty ? session(in: headers)?.end : nil
    }

    private func session(in headers: HTTPFields) -> (token: String, end: Timestamp)? {
        let now = now()
        return ConsoleCookie.values(in: headers).lazy.compactMap { token in
            tokens.expiry(of: token, as: .session, now: now).map { (token, $0) }
        }.first
    }

    /// Returns the token that a session's changes need in a header.
    package func csrfToken(of session: String) -> String { tokens.csrfToken(of: session) }

    func isCSRFToken(_ text: String, of session: String) -> Bool { tokens.isCSRFToken(text, of: session) }

    /// Takes a ticket, once for this gateway.
    private func use(_ ticket: String) -> Bool {
        let now = now()
        guard let expiresAt = tokens.expiry(of: ticket, as: .ticket, now: now) else { return false }
        return used.withLock { used in
            if used.count >= Self.ticketsMax { used = used.filter { $0.value > now } }
            guard used.count < Self.ticketsMax, used[ExactText(ticket)] == nil else { return false }
            used[ExactText(ticket)] = expiresAt
            return true
        }
    }
}

/// The proof that begins a session of the console.
package enum ConsoleProof: Sendable {
    case key(String)
    case ticket(String)
}

extension ConsoleSignIn {
    /// - Throws: `requestInvalid` without exactly one of the members.
    package func proof() throws(StoreError) -> ConsoleProof {
        switch (key, ticket) {
        case (let key?, nil): return .key(key)
        case (nil, let ticket?): return .ticket(ticket)
        default: throw .invalid("$", "must have either key or ticket")
        }
    }
}

/// The cookie of the console's session.
package enum ConsoleCookie {
    /// Returns the values of the console's cookies, in order. Cookies of other names and shapes are left out.
    ///
    /// Other pages of the host may set cookies of this name, so every one is looked at. ``HTTPLimits/headerBytesMax``
    /// bounds them.
    static func values(in headers: HTTPFields) -> [String] {
        var values: [String] = []
        for header in headers[values: .cookie] {
            for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, trimmed(parts[0]).elementsEqual(ConsoleRoutes.cookie.utf8) else { continue }
                values.append(String(Substring(unquoted(trimmed(parts[1])))))
            }
        }
        return values
    }

    /// Returns the `Set-Cookie` of a session.
    package static func setting(_ token: String, isSecure: Bool) -> String {
        text(token, lifetime: ConsoleTokens.Purpose.session.lifetime, isSecure: isSecure)
    }

    /// Returns the `Set-Cookie` that removes it.
    package static func removal(isSecure: Bool) -> String { text("", lifetime: .zero, isSecure: isSecure) }

    private static func text(_ value: String, lifetime: Duration, isSecure: Bool) -> String {
        "\(ConsoleRoutes.cookie)=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(lifetime.components.seconds)"
            + (isSecure ? "; Secure" : "")
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text.drop { isBlank($0) }
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private static func unquoted(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return text }
        return text.dropFirst().dropLast()
    }
}

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
        Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Self.csrfInput(session), using: key))
    }

    /// Compares a CSRF token with that of a session, in constant time.
    func isCSRFToken(_ text: String, of session: String) -> Bool {
        guard let code = Base64URL.decode(text) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Self.csrfInput(session), using: key)
    }

    private static func csrfInput(_ session: String) -> [UInt8] { [csrf] + session.utf8 }
}
