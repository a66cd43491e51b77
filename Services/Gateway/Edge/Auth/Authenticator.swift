import BusService
import Cryptography
import HTTPTypes
import StoreHTTP
import StoreModels

/// Authenticates the caller and checks that the route admits it.
package struct Authenticator: Sendable {
    let tokens: SessionTokens
    /// Nil when none is configured. Then no caller is accepted as the operator.
    let adminKey: AdminKey?
    /// The operator's sessions in browsers. Nil without an admin key.
    let console: ConsoleSessions?
    /// The keys of isolated stores. Nil without an admin key.
    let storeKeys: StoreKeys?
    let keys: KeyDirectory

    /// - Parameters:
    ///   - adminKey: Nil when none is configured. Then no caller is accepted as the operator.
    ///   - console: The operator's sessions in browsers. Nil without an admin key.
    ///   - storeKeys: The keys of isolated stores. Nil without an admin key.
    package init(
        tokens: SessionTokens, adminKey: AdminKey?, console: ConsoleSessions?, storeKeys: StoreKeys? = nil,
        keys: KeyDirectory
    ) {
        self.tokens = tokens
        self.adminKey = adminKey
        self.console = console
        self.storeKeys = storeKeys
        self.keys = keys
    }

    /// Authenticates the caller of a route.
    /// - Parameter context: The context of a request for a key.
    /// - Throws: 401 without valid credentials, 403 with credentials of another kind.
    func principal(
        for access: Access, method: HTTPRequest.Method, headers: HTTPFields, _ context: CallContext
    ) async throws(HTTPProblem) -> Principal {
        switch access {
        case .open, .named, .serverAPI: return .anonymous
        case .app, .appOrStore: return try await session(access, headers, context)
        case .appOrServer:
            if let key = try await apiKey(try bearer(headers), context) { return .server(key) }
            return try await session(access, headers, context)
        case .admin: return try await admin(method, headers, context)
        case .console: return try consoleSession(method, headers)
        case .server: return try await server(headers, context)
        }
    }

    /// Authenticates a caller without waiting. Nil for one that ``principal(for:method:headers:_:)`` has to look at.
    /// - Throws: As ``principal(for:method:headers:_:)``.
    func known(for access: Access, headers: HTTPFields) throws(HTTPProblem) -> Principal? {
        switch access {
        case .open, .named, .serverAPI: return .anonymous
        case .app, .appOrStore:
            // A token that was verified is neither the admin key nor an API key: they are looked for before.
            guard let session = tokens.known(try bearer(headers)) else { return nil }
            return try Self.principal(session, access)
        case .appOrServer, .admin, .console, .server: return nil
        }
    }

    private func session(
        _ access: Access, _ headers: HTTPFields, _ context: CallContext
    ) async throws(HTTPProblem) -> Principal {
        try Self.principal(try await verified(try bearer(headers), context), access)
    }

    private static func principal(_ session: Session, _ access: Access) throws(HTTPProblem) -> Principal {
        guard session.client == .app || access == .appOrStore else {
            throw HTTPProblem(StoreError(.forbidden, "a session with client \"store\" may call the store's paths only"))
        }
        return .session(session)
    }

    private func verified(_ token: String, _ context: CallContext) async throws(HTTPProblem) -> Session {
        if adminKey?.matches(token) == true {
            throw HTTPProblem(
                StoreError(.forbidden, "this path is for a customer's session; the admin key opens /admin only"))
        }
        guard try await apiKey(token, context) == nil else {
            throw HTTPProblem(StoreError(.forbidden, "this path is for a customer's session, not for an app's server"))
        }
        do {
            return try tokens.verify(token)
        } catch SessionTokens.Rejection.expired {
            throw Self.unauthenticated("the session token has expired")
        } catch {
            throw Self.unauthenticated("the session token is not valid")
        }
    }

    private func admin(
        _ method: HTTPRequest.Method, _ headers: HTTPFields, _ context: CallContext
    ) async throws(HTTPProblem) -> Principal {
        if headers[values: .authorization].isEmpty, !ConsoleCookie.values(in: headers).isEmpty {
            return try consoleSession(method, headers)
        }
        let token = try bearer(headers)
        if let adminKey, adminKey.matches(token) { return .admin }
        if let key = storeKeys?.key(token) { return .storeAdmin(key) }
        guard try await apiKey(token, context) == nil else {
            throw HTTPProblem(StoreError(.forbidden, "an app's server may not call the operator's paths"))
        }
        if (try? tokens.verify(token)) != nil {
            throw HTTPProblem(StoreError(.forbidden, "a customer's session may not call the operator's paths"))
        }
        throw Self.unauthenticated(
            adminKey == nil ? Self.missingAdminKey : Self.wrongAdminKey)
    }

    /// The refusal's text without an admin key.
    package static let missingAdminKey =
        "this gateway has no admin key: start it with STOREBUS_ADMIN_KEY or STOREBUS_ADMIN_KEY_FILE"
    /// The refusal's text for another key.
    package static let wrongAdminKey = "the admin key is not the one this gateway was started with"
    /// The refusal's text for a cookie without a session.
    package static let endedConsoleSession =
        "there is no session of the console, or it has ended; sign in at / or with storebus open"

    /// Authenticates the console by its cookie. A browser adds cookies to requests of other pages too, so those are
    /// refused, and a change needs the header that only the console's own page can know.
    private func consoleSession(
        _ method: HTTPRequest.Method, _ headers: HTTPFields
    ) throws(HTTPProblem) -> Principal {
        guard let console, let token = console.token(in: headers) else {
            throw Self.unauthenticated(adminKey == nil ? Self.missingAdminKey : Self.endedConsoleSession)
        }
        if let site = headers[.secFetchSite], !["same-origin", "none"].contains(site) {
            throw HTTPProblem(
                StoreError(.forbidden, "the console's cookie is for its own pages; this request is another page's"))
        }
        if method != .get {
            guard let text = headers[.storebusCSRF], console.isCSRFToken(text, of: token) else {
                throw HTTPProblem(
                    StoreError(
                        .forbidden,
                        "with the console's cookie, \(method) needs the header \(ConsoleRoutes.csrfHeader) with the "
                            + "csrfToken of \(ConsoleRoutes.session.route.path)"))
            }
        }
        return .admin
    }

    private func server(_ headers: HTTPFields, _ context: CallContext) async throws(HTTPProblem) -> Principal {
        let token = try bearer(headers)
        if let key = try await apiKey(token, context) { return .server(key) }
        let isAdmin = adminKey?.matches(token) == true
        let isSession = isAdmin ? false : (try? tokens.verify(token)) != nil
        guard !isAdmin, !isSession else {
            throw HTTPProblem(StoreError(.forbidden, "this path is for an app's server, with an API key of the app"))
        }
        throw Self.unauthenticated("the API key is not valid, or was deleted")
    }

    /// Finds the API key of a token, or nil for any other token.
    /// - Throws: `serviceUnavailable` when the keys cannot be read.
    private func apiKey(_ token: String, _ context: CallContext) async throws(HTTPProblem) -> AppKeyRecord? {
        do {
            return try await keys.apiKey(token, context)
        } catch {
            throw HTTPProblem(error)
        }
    }

    /// Returns the token of `Authorization: Bearer …`.
    private func bearer(_ headers: HTTPFields) throws(HTTPProblem) -> String {
        let values = headers[values: .authorization]
        guard !values.isEmpty else { throw Self.unauthenticated("the Authorization header is missing") }
        guard values.count == 1, let token = BearerToken.text(of: values[0]) else {
            throw Self.unauthenticated("the Authorization header must be one bearer token")
        }
        return token
    }

    /// Returns a 401 with the challenge for a bearer token.
    package static func unauthenticated(_ message: String) -> HTTPProblem {
        HTTPProblem(StoreError(.unauthenticated, message), headers: [.wwwAuthenticate: "Bearer realm=\"storebus\""])
    }
}

/// The caller, after its credentials have been checked.
package enum Principal: Sendable {
    /// An unauthenticated caller of an open path.
    case anonymous
    case session(Session)
    case admin
    /// The operator of one isolated store. Only ``inside(_:)`` makes an operator of it.
    case storeAdmin(StoreKeys.Key)
    /// An app's server.
    case server(AppKeyRecord)

    /// The `Sb-Actor` header, `c:<app>:<customerIdentifier>:<device>`. Only the gateway sets it.
    var actor: String? {
        guard case .session(let session) = self else { return nil }
        return "c:\(session.bundleId):\(session.customerIdentifier):\(session.deviceId)"
    }
}

/// The operator's key. Only its digest is kept, so the key cannot appear in a log or a crash report.
package struct AdminKey: Sendable {
    private let digest: [UInt8]

    /// Keeps the digest of a key.
    package init(_ key: String) {
        digest = SHA256.hash(data: key.utf8)
    }

    /// Compares digests, in a time that does not depend on the keys.
    func matches(_ candidate: String) -> Bool {
        isEqualInConstantTime(SHA256.hash(data: candidate.utf8), digest)
    }

    /// Derives the key of the console's tokens.
    func consoleKey(sessionKey: SymmetricKey) -> SymmetricKey {
        derivedKey(for: "storebus-console", sessionKey: sessionKey)
    }

    /// Derives a key for one purpose. Another admin key or another key of sessions makes another one.
    func derivedKey(for purpose: String, sessionKey: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: sessionKey, salt: digest, info: Array(purpose.utf8))
    }
}

/// The keys of isolated stores: `t-7.1790000000000_` and 64 hexadecimal digits. The first number is the store's, the
/// second when it was made. Nothing is stored, so any gateway knows them.
package struct StoreKeys: Sendable {
    /// A key that is one of this installation's.
    package struct Key: Hashable, Sendable {
        /// The store's name.
        let store: String
        /// When the store was made, in milliseconds since 1970. A restored database may give a number again.
        let createdAt: Int64

        /// Checks that the key opens a route at the store that a request names. Stores are not looked up before, so the
        /// error does not tell which other ones there are.
        /// - Throws: `notFound` at another store, `forbidden` for a route about the installation.
        func checkReach(_ route: Route, of named: String?) throws(StoreError) {
            guard named?.isExactly(store) != false else {
                throw StoreError(.notFound, "the key is the isolated store '\(store)''s and opens no other")
            }
            guard route.isOfStore else {
                throw StoreError(
                    .forbidden, "the key of the isolated store '\(store)' opens paths about the store's data only")
            }
        }
    }

    private let secret: SymmetricKey

    /// - Parameter sessionKey: That of the session tokens.
    package init(adminKey: AdminKey, sessionKey: SymmetricKey) {
        secret = adminKey.derivedKey(for: "storebus-store", sessionKey: sessionKey)
    }

    /// Makes the key of a store.
    /// - Parameter createdAt: When the store was made, by the wall clock.
    package func key(of store: String, createdAt: Timestamp) -> String {
        let name = "\(store).\(createdAt.milliseconds)"
        return "\(name)_\(Hex.text(HMAC<SHA256>.authenticationCode(for: name.utf8, using: secret)))"
    }

    /// Reads a key.
    /// - Returns: Nil for any other token.
    func key(_ token: String) -> Key? {
        let parts = token.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2 * SHA256.byteCount else { return nil }
        let digits = parts[1].compactMap(Hex.value)
        guard digits.count == parts[1].count else { return nil }
        let code = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        guard HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Array(parts[0]), using: secret) else {
            return nil
        }
        let name = parts[0].split(separator: UInt8(ascii: "."))
        guard name.count == 2, let createdAt = Int64(String(Substring(name[1]))) else { return nil }
        return Key(store: String(Substring(name[0])), createdAt: createdAt)
    }
}
