import BusProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settings of a broker.
package struct BrokerConfiguration: Sendable {
    /// The bus's default port.
    package static let port = BusLimits.port
    /// The default port of the monitoring pages.
    package static let monitorPort = BusLimits.monitorPort

    /// Address to listen on. Without a token or users only loopback.
    package var host: String
    /// Port, 0 for any free one.
    package var port: Int
    /// Token clients sign in with; nil for one open user.
    package var token: String?
    /// Users that may sign in, each with a token; instead of `token`.
    package var users: [BrokerUser]?
    package var limits: BrokerLimits
    /// File locked while it runs, so that a store has one broker; nil for none.
    package var lockFile: String?
    /// Whether `$SYS.CHAOS.` takes rules for faults. For tests only.
    package var chaos: Bool
    /// Version in `hello` and on monitoring pages.
    package var version: String

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

    /// Rejects settings with which a broker must not start.
    package func validate() throws(BrokerStartError) {
        guard (0...65535).contains(port) else { throw .portOutOfRange(port) }
        if token != nil, users != nil { throw .tokenAndUsers }
        if token == nil, users == nil, !Self.isLoopback(host) { throw .openBeyondLoopback(host) }
    }

    /// The authenticator for these settings.
    var authenticator: Authenticator {
        if let users { return .users(users) }
        return token.map(Authenticator.token) ?? .open
    }

    /// Reads the token from a file: its text without surrounding whitespace.
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
