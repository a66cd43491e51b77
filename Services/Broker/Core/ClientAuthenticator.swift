import BusProtocol

/// Authenticates clients.
package enum ClientAuthenticator: Sendable {
    /// Every client is the one open user. Allowed with a loopback address only.
    case open
    /// Every client has this token and is the same user.
    case token(String)
    /// The token identifies the user, and each user has permissions.
    case users([BrokerUser])

    /// The user of an authenticated client.
    struct User {
        let name: String
        /// The user's permissions. Nil for no restrictions.
        var permissions: Permissions?
    }

    /// The name of the only user without a users file.
    static let userName = "default"

    /// The methods announced in `hello`.
    var methods: [String] {
        switch self {
        case .open: ["none"]
        case .token, .users: ["token"]
        }
    }

    /// Finds the user of a client's credentials. An open broker accepts any token, as nats-server does.
    ///
    /// - Throws: `auth_failed`.
    func user(for credentials: ConnectMessage.Authentication) throws(BusViolation) -> User {
        switch (self, credentials) {
        case (.open, .none), (.open, .token): return User(name: Self.userName)
        case (.token(let expected), .token(let given)) where Self.isEqual(expected, given):
            return User(name: Self.userName)
        case (.users(let users), .token(let given)): return try Self.user(given, among: users)
        case (.token, .token): throw BusViolation(.authFailed, "the token is wrong")
        case (.token, .none), (.users, .none): throw BusViolation(.authFailed, "a token is needed")
        case (_, .other): throw BusViolation(.authFailed, "this method is not offered")
        }
    }

    /// Finds the user of a token. It compares every token, so that the time does not reveal which one matched.
    private static func user(_ token: String, among users: [BrokerUser]) throws(BusViolation) -> User {
        var found: BrokerUser?
        for user in users where isEqual(user.token, token) { found = user }
        guard let found else { throw BusViolation(.authFailed, "the token is wrong") }
        return User(name: found.name, permissions: found.permissions)
    }

    /// Compares texts in a time that depends on the lengths only.
    private static func isEqual(_ expected: String, _ given: String) -> Bool {
        let (left, right) = (Array(expected.utf8), Array(given.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
