import BusProtocol

/// Decides who a client is.
package enum Authenticator: Sendable {
    /// Everybody is the one open user. Only with a loopback address.
    case open
    /// Whoever knows the token is the one user.
    case token(String)

    /// The only user there is without a users file.
    static let userName = "default"

    /// What `hello` offers.
    var methods: [String] {
        switch self {
        case .open: ["none"]
        case .token: ["token"]
        }
    }

    /// The user's name.
    ///
    /// - Throws: `auth_failed`. An open broker takes any credentials, as nats-server does.
    func user(for credentials: ConnectMessage.Authentication) throws(BusViolation) -> String {
        switch (self, credentials) {
        case (.open, .none), (.open, .token): return Self.userName
        case (.token(let expected), .token(let given)) where Self.isEqual(expected, given): return Self.userName
        case (.token, .token): throw BusViolation(.authFailed, "the token is wrong")
        case (.token, .none): throw BusViolation(.authFailed, "a token is needed")
        case (_, .other): throw BusViolation(.authFailed, "this method is not offered")
        }
    }

    /// Compares in a time that depends on the lengths only.
    private static func isEqual(_ expected: String, _ given: String) -> Bool {
        let (left, right) = (Array(expected.utf8), Array(given.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
