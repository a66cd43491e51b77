import BusProtocol
import EventLoop
import FoundationEssentials

/// The settings of a broker.
package struct BrokerConfiguration: Sendable {
    /// The bus's default port.
    package static let port = BusLimits.port
    /// The default port of the monitoring pages.
    package static let monitorPort = BusLimits.monitorPort

    /// The address to listen on. Without a token or users it is loopback only.
    package var host: String
    /// The port. 0 for any free one.
    package var port: Int
    /// The token with which clients sign in. Nil for one open user.
    package var token: String?
    /// The users that may sign in, each with a token. Nil for one user with `token`.
    package var users: [BrokerUser]?
    /// The files for TLS. Nil for plain TCP.
    ///
    /// With authorities, every client needs a certificate that one of them has signed.
    package var tls: TLSFiles?
    /// The limits.
    package var limits: BrokerLimits
    /// The file that the broker locks, so that a store has one broker. Nil for none.
    package var lockFile: String?
    /// Whether `$SYS.CHAOS.` accepts rules for faults, for tests only.
    package var chaos: Bool
    /// The version in `hello` and on monitoring pages.
    package var version: String

    /// Creates settings, which ``validate()`` checks.
    package init(
        host: String = "127.0.0.1", port: Int = BrokerConfiguration.port, token: String? = nil,
        users: [BrokerUser]? = nil, limits: BrokerLimits = BrokerLimits(), chaos: Bool = false, version: String
    ) {
        self.host = host
        self.port = port
        self.token = token
        self.users = users
        self.limits = limits
        self.chaos = chaos
        self.version = version
    }

    /// Checks the settings.
    /// - Throws: `portOutOfRange`, `tokenAndUsers`, `openBeyondLoopback`, `tlsWithoutCertificate`.
    package func validate() throws(BrokerStartError) {
        guard (0...65535).contains(port) else { throw .portOutOfRange(port) }
        if token != nil, users != nil { throw .tokenAndUsers }
        if let tls, tls.certificate == nil || tls.key == nil { throw .tlsWithoutCertificate }
        if token == nil, users == nil, !Self.isLoopback(host) { throw .openBeyondLoopback(host) }
    }

    /// The authenticator of these settings.
    var authenticator: ClientAuthenticator {
        if let users { return .users(users) }
        return token.map(ClientAuthenticator.token) ?? .open
    }

    /// Reads the token of a file: its text without surrounding whitespace.
    /// - Throws: `tokenMissing`, `tokenUnreadable`, `tokenEmpty`.
    package static func token(inFile path: String) throws(BrokerStartError) -> String {
        guard FileManager.default.fileExists(atPath: path) else { throw .tokenMissing(path) }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw .tokenUnreadable(path) }
        let token = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !token.isEmpty else { throw .tokenEmpty(path) }
        return token
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
