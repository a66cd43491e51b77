import Crypto
import EventLoop
import HTTPTypes
import StoreHTTP
import StoreModels

/// The operator's sessions in browsers: a signed cookie in place of the admin key.
struct ConsoleSessions: Sendable {
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
    init(adminKey: AdminKey, sessionKey: SymmetricKey, now: @escaping @Sendable () -> Timestamp) {
        self.adminKey = adminKey
        self.tokens = ConsoleTokens(key: adminKey.consoleKey(sessionKey: sessionKey))
        self.now = now
    }

    /// Begins a session.
    /// - Returns: Its token, nil for another key, and for a ticket that is unknown, expired or used.
    func begin(_ proof: ConsoleProof) -> String? {
        switch proof {
        case .key(let key): guard adminKey.matches(key) else { return nil }
        case .ticket(let ticket): guard use(ticket) else { return nil }
        }
        return tokens.issue(.session, now: now()).token
    }

    func issueTicket() -> ConsoleTicket {
        let (ticket, expiresAt) = tokens.issue(.ticket, now: now())
        return ConsoleTicket(ticket: ticket, expiresAt: expiresAt)
    }

    /// Finds the token of a request's session among its cookies.
    /// - Returns: Nil when no cookie of the console has a valid one.
    func token(in headers: HTTPFields) -> String? { session(in: headers)?.token }

    /// Returns the end of a request's session. Nil for a request with an `Authorization` header, or without a session.
    func sessionEnd(in headers: HTTPFields) -> Timestamp? {
        headers[values: .authorization].isEmpty ? session(in: headers)?.end : nil
    }

    private func session(in headers: HTTPFields) -> (token: String, end: Timestamp)? {
        let now = now()
        return ConsoleCookie.values(in: headers).lazy.compactMap { token in
            tokens.expiry(of: token, as: .session, now: now).map { (token, $0) }
        }.first
    }

    func csrfToken(of session: String) -> String { tokens.csrfToken(of: session) }

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
enum ConsoleProof: Sendable {
    case key(String)
    case ticket(String)
}

extension ConsoleSignIn {
    /// - Throws: `requestInvalid` without exactly one of the members.
    func proof() throws(StoreError) -> ConsoleProof {
        switch (key, ticket) {
        case (let key?, nil): return .key(key)
        case (nil, let ticket?): return .ticket(ticket)
        default: throw .invalid("$", "must have either key or ticket")
        }
    }
}

/// The cookie of the console's session.
enum ConsoleCookie {
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
    static func setting(_ token: String, isSecure: Bool) -> String {
        text(token, lifetime: ConsoleTokens.Purpose.session.lifetime, isSecure: isSecure)
    }

    /// Returns the `Set-Cookie` that removes it.
    static func removal(isSecure: Bool) -> String { text("", lifetime: .zero, isSecure: isSecure) }

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
