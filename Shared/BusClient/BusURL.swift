import BusProtocol
import EventLoop

/// The address of the bus: `storebus://[token@]host[:7420]`, or `tls://…` for a broker that speaks TLS.
///
/// The token in the URL is for tests and examples. Services take it from `BUS_CREDENTIALS_FILE`, because URLs end up in
/// process lists and logs. `description` never shows it.
package struct BusURL: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address. An IPv6 address has no brackets.
    package var host: String
    /// 1…65535.
    package var port: Int
    /// A secret.
    package var token: String?
    /// The files for TLS. Nil without TLS. The certificate of the broker must be for `host`.
    package var tls: TLSFiles?

    /// Creates an address. Without arguments it is a local broker's.
    package init(
        host: String = "127.0.0.1", port: Int = BusLimits.port, token: String? = nil, tls: TLSFiles? = nil
    ) {
        self.host = host
        self.port = port
        self.token = token
        self.tls = tls
    }

    /// Reads the text form.
    ///
    /// - Throws: `invalidURL`, naming the part and its proper form.
    package init(parsing text: String) throws(BusError) {
        guard let scheme = text.firstRange(of: "://") else {
            throw Self.invalid("'\(text)' has no scheme; write storebus://127.0.0.1:\(BusLimits.port)")
        }
        let isTLS = text[..<scheme.lowerBound] == "tls"
        guard isTLS || text[..<scheme.lowerBound] == "storebus" else {
            throw Self.invalid(
                "'\(text[..<scheme.lowerBound])' is not a bus protocol of this client; write storebus://… or tls://…")
        }
        var rest = text[scheme.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        var token: String?
        if let at = rest.lastIndex(of: "@") {
            token = String(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let (host, port) = try Self.address(rest, defaultPort: BusLimits.port)
        self.init(host: host, port: port, token: token, tls: isTLS ? TLSFiles() : nil)
    }

    /// `host`, `host:port`, `[v6]` or `[v6]:port`.
    package static func address(_ text: Substring, defaultPort: Int) throws(BusError) -> (String, Int) {
        var host = text
        var portText: Substring?
        if text.first == "[", let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { throw invalid("'\(text)' is not a host and port") }
            portText = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            portText = text[text.index(after: colon)...]
        }
        guard !host.isEmpty, !host.contains(where: { "/?#[] ".contains($0) }) else {
            throw invalid("the host is missing or not a host; write host:\(defaultPort)")
        }
        guard let portText else { return (String(host), defaultPort) }
        guard let port = Int(portText), (1...65535).contains(port) else {
            throw invalid("'\(portText)' is not a port; write 1 to 65535")
        }
        return (String(host), port)
    }

    /// Creates an `invalidURL` error of this side.
    package static func invalid(_ message: String) -> BusError {
        BusError(.invalidURL, "the bus URL: \(message)")
    }

    /// The address as text, without the token.
    package var description: String {
        "\(tls == nil ? "storebus" : "tls")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
