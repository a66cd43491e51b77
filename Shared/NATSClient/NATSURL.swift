import BusClient
import EventLoop

/// The address of a NATS cluster: `nats://[user[:password]@|token@]a[:4222][,b[:4222]…]`, or `nats+tls://…` for servers
/// that speak TLS.
///
/// A password or a token in the URL is for tests and examples. Services take it from `BUS_CREDENTIALS_FILE`, because
/// URLs end up in process lists and logs. `description` never shows one.
package struct NATSURL: Sendable, Equatable, CustomStringConvertible {
    /// One server of the cluster.
    package struct Server: Sendable, Equatable, CustomStringConvertible {
        /// A name or an address. An IPv6 address has no brackets.
        package var host: String
        /// 1…65535.
        package var port: Int

        /// Creates a server at nats-server's default port, unless another is given.
        package init(host: String, port: Int = NATSURL.defaultPort) {
            self.host = host
            self.port = port
        }

        /// The server's URL, without credentials.
        package var description: String { "nats://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// The client's credentials.
    package enum Credentials: Sendable, Equatable {
        case none
        case token(String)
        /// `password` is empty until the credentials file has been read.
        case user(String, password: String)
    }

    /// The default port of nats-server.
    package static let defaultPort = 4222

    /// At least one.
    package var servers: [Server]
    /// Secrets.
    package var credentials: Credentials
    /// The files for TLS, or nil without TLS. Each server's certificate must be for the server's host.
    package var tls: TLSFiles?

    /// Creates the address of a cluster. All its servers share credentials and files.
    package init(servers: [Server], credentials: Credentials = .none, tls: TLSFiles? = nil) {
        self.servers = servers
        self.credentials = credentials
        self.tls = tls
    }

    /// Whether a bus URL is one of these.
    package static func isNATS(_ text: String) -> Bool { text.hasPrefix(plain) || text.hasPrefix(secure) }

    private static let plain = "nats://"
    private static let secure = "nats+tls://"

    /// Reads the text form. Each server may have the scheme again, as lists of servers are often written.
    ///
    /// - Throws: `invalidURL`, naming the part and its valid form, without secrets.
    package init(parsing text: String) throws(BusError) {
        guard Self.isNATS(text) else { throw BusURL.invalid("it does not begin with nats:// or nats+tls://") }
        let scheme = text.hasPrefix(Self.secure) ? Self.secure : Self.plain
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        var credentials = Credentials.none
        if let at = rest.lastIndex(of: "@") {
            credentials = try Self.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        var servers: [Server] = []
        for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
            let address = part.hasPrefix(scheme) ? part.dropFirst(scheme.count) : part
            let (host, port) = try BusURL.address(address, defaultPort: Self.defaultPort)
            servers.append(Server(host: host, port: port))
        }
        self.init(servers: servers, credentials: credentials, tls: scheme == Self.secure ? TLSFiles() : nil)
    }

    /// Adds a secret read from a file. It is the password of the URL's user, or a token if the URL names no user.
    package mutating func add(secret: String) {
        if case .user(let user, _) = credentials {
            credentials = .user(user, password: secret)
        } else {
            credentials = .token(secret)
        }
    }

    /// Parses `token` or `user:password`. An empty password means that a file holds it.
    private static func credentials(_ text: Substring) throws(BusError) -> Credentials {
        guard let colon = text.firstIndex(of: ":") else { return .token(try decoded(text)) }
        return .user(try decoded(text[..<colon]), password: try decoded(text[text.index(after: colon)...]))
    }

    /// `%40` is `@`.
    private static func decoded(_ text: Substring) throws(BusError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                throw BusURL.invalid("after % in user, password or token come two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw BusURL.invalid("user, password or token is not UTF-8")
        }
        return decoded
    }

    /// The servers' URLs, separated by commas, without credentials.
    package var description: String {
        let list = servers.map { $0.description.dropFirst(Self.plain.count) }.joined(separator: ",")
        return (tls == nil ? Self.plain : Self.secure) + list
    }
}
