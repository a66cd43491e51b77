import StoreModels

/// The address of the services' PostgreSQL, parsed without connecting: `postgres://user@host:5432/db`, or
/// `postgres:///db?host=/socket/dir`.
struct DatabaseAddress: Hashable, Sendable {
    /// The connection string for libpq. It may contain a password, so it is never printed and never an argument.
    let url: String
    /// `--database-url` or `DATABASE_URL`.
    let origin: String
    let servers: [Server]
    let hasPassword: Bool
    private let user: String?
    private let database: String

    /// The address of one server.
    enum Server: Hashable, Sendable {
        case address(host: String, port: String)
        /// Path of a socket.
        case socket(String)
    }

    private static let defaultPort = "5432"

    /// - Throws: `databaseUnusable` for an invalid URL. The message repeats no part of it.
    init(_ url: String, origin: String) throws(CLIError) {
        guard let schemeEnd = Self.end(of: "://", in: url),
            ["postgres://", "postgresql://"].contains(url[..<schemeEnd])
        else { throw Self.unusable(origin, "begins with postgres://") }
        let parts = url[schemeEnd...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = Self.query(parts.count == 2 ? parts[1] : "")
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = Self.authority(path[0])
        let name = query["dbname"] ?? (path.count == 2 ? Self.decoded(path[1]) : "")
        guard !name.isEmpty else { throw Self.unusable(origin, "names a database, as in postgres://user@host/db") }
        self.url = url
        self.origin = origin
        database = name
        user = query["user"] ?? authority.user
        hasPassword = authority.hasPassword || query["password"] != nil
        servers =
            query["host"].map { Self.servers($0, port: query["port"] ?? Self.defaultPort) }
            ?? Self.servers(authority.hosts, port: query["port"] ?? Self.defaultPort)
    }

    /// Reads the flag, or else the variable.
    /// - Returns: Nil if neither is set. The store then uses SQLite.
    /// - Throws: `databaseUnusable`, and `usage` for a password in the arguments, which every process can read.
    static func find(
        flag: String?, _ variables: [String: String]
    ) throws(CLIError) -> DatabaseAddress? {
        if let flag {
            let address = try DatabaseAddress(flag, origin: "--database-url")
            guard !address.hasPassword else {
                throw CLIError(
                    .usage, "a password on the command line can be seen by every user of this machine",
                    hints: [
                        "keep it in a file: DATABASE_PASSWORD_FILE", "or set DATABASE_URL instead of --database-url",
                    ])
            }
            return address
        }
        guard let url = variables["DATABASE_URL"], !url.isEmpty else { return nil }
        return try DatabaseAddress(url, origin: "DATABASE_URL")
    }

    /// The address without secrets: `storebus@db.example:5432/store`.
    var location: String {
        let names = servers.map { server in
            switch server {
            case .address(let host, let port): port == Self.defaultPort ? host : "\(host):\(port)"
            case .socket(let path): String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            }
        }
        return (user.map { "\($0)@" } ?? "") + names.joined(separator: ",") + "/" + database
    }

    // MARK: Parts

    private static func authority(_ text: Substring) -> (user: String?, hasPassword: Bool, hosts: String) {
        guard let at = text.lastIndex(of: "@") else { return (nil, false, String(text)) }
        let parts = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (decoded(parts[0]), parts.count == 2, String(text[text.index(after: at)...]))
    }

    /// Parses `a:5433,b`, `[::1]:5433`, `/socket/dir`. An empty one is this machine.
    private static func servers(_ hosts: String, port: String) -> [Server] {
        let names = hosts.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return names.map { name in
            let host = decoded(name[...])
            if host.hasPrefix("/") { return .socket("\(host)/.s.PGSQL.\(port)") }
            if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
                let rest = host[host.index(after: end)...].drop { $0 == ":" }
                return .address(
                    host: String(host[..<end].dropFirst()), port: rest.isEmpty ? port : String(rest))
            }
            let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return .address(
                host: parts[0].isEmpty ? "localhost" : parts[0],
                port: parts.count == 2 && !parts[1].isEmpty ? parts[1] : port)
        }
    }

    private static func query(_ text: Substring) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair -> (String, String) in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count == 2 ? decoded(parts[1]) : "")
        }
        return Dictionary(pairs) { $1 }
    }

    private static func end(of mark: String, in text: String) -> String.Index? {
        text.indices.first { text[$0...].hasPrefix(mark) }.map { text.index($0, offsetBy: mark.count) }
    }

    /// Decodes percent escapes: `%2F` is a slash.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unusable(_ origin: String, _ need: String) -> CLIError {
        CLIError(
            .databaseUnusable, "\(origin) is not a PostgreSQL URL: one \(need)",
            hints: ["SQLite needs none: unset \(origin == "DATABASE_URL" ? origin : "it")"])
    }
}
