import BusProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a broker is started.
package struct BrokerConfiguration: Sendable {
    /// The bus's usual port.
    package static let port = BusLimits.port
    /// The usual port of the monitoring pages.
    package static let monitorPort = BusLimits.monitorPort

    /// Address to listen on. Without a token only loopback.
    package var host: String
    /// Port, 0 for any free one.
    package var port: Int
    /// What clients sign in with; nil for one open user.
    package var token: String?
    package var limits: BrokerLimits
    /// Version that `hello` and monitoring tell.
    package var version: String

    package init(
        host: String = "127.0.0.1", port: Int = BrokerConfiguration.port, token: String? = nil,
        limits: BrokerLimits = BrokerLimits(), version: String
    ) {
        self.host = host
        self.port = port
        self.token = token
        self.limits = limits
        self.version = version
    }

    /// Refuses what must not start.
    package func validate() throws(BrokerStartError) {
        guard (0...65535).contains(port) else { throw .portOutOfRange(port) }
        if token == nil, !Self.isLoopback(host) { throw .openBeyondLoopback(host) }
    }

    /// Reads the token from a file: its text without surrounding whitespace.
    package static func token(inFile path: String) throws(BrokerStartError) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw .tokenUnreadable(path) }
        let token = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard !token.isEmpty else { throw .tokenEmpty(path) }
        return token
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
