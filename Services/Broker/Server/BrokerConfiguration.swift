import BusProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a broker is started.
package struct BrokerConfiguration: Sendable {
    /// Address to listen on. Without a token only loopback.
    package var host: String
    /// Port, 0 for any free one.
    package var port: Int
    /// Address of the monitoring pages.
    package var monitorHost: String
    /// Port of the monitoring pages, 0 for any free one.
    package var monitorPort: Int
    /// What clients sign in with; nil for one open user.
    package var token: String?
    package var limits: BrokerLimits
    /// Version that `hello` and monitoring tell.
    package var version: String

    package init(
        host: String = "127.0.0.1", port: Int = BusLimits.port, monitorHost: String = "127.0.0.1",
        monitorPort: Int = BusLimits.monitorPort, token: String? = nil, limits: BrokerLimits = BrokerLimits(),
        version: String = "0.1.0"
    ) {
        self.host = host
        self.port = port
        self.monitorHost = monitorHost
        self.monitorPort = monitorPort
        self.token = token
        self.limits = limits
        self.version = version
    }

    /// Refuses what must not start.
    package func validate() throws(BrokerStartError) {
        guard (0...65535).contains(port) else { throw .portOutOfRange(port) }
        guard (0...65535).contains(monitorPort) else { throw .portOutOfRange(monitorPort) }
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
