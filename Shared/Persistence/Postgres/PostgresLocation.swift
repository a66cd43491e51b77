internal import CPostgres

/// The address of a PostgreSQL database: `DATABASE_URL`, with the password apart.
///
/// `postgres://user[:password]@host[:port]/db`, or `postgres:///db?host=/socket/dir`. libpq reads the URL, so its other
/// parameters (`sslmode`, `sslrootcert`, `target_session_attrs`, …), `PGPASSFILE` and the like work as in psql.
package struct PostgresLocation: Sendable {
    /// For people, without the password: `storebus@db.example:5432/store`.
    package let address: String
    let url: String
    let password: String?

    /// - Parameters:
    ///   - url: `postgres://…` or `postgresql://…`.
    ///   - password: Used instead of a password in the URL.
    /// - Throws: `cannotOpen` for a URL that libpq cannot read. The message repeats no part of the URL, which may have
    ///   a password in it.
    package init(url: String, password: String? = nil) throws(PersistenceError) {
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else {
            throw PersistenceError(.cannotOpen, "DATABASE_URL must begin with postgres://")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw PersistenceError(
                .cannotOpen, "DATABASE_URL is not a URL that libpq can read; write postgres://user@host:5432/db")
        }
        defer { PQconninfoFree(options) }
        var fields: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { fields[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        guard fields["dbname"] != nil else {
            throw PersistenceError(.cannotOpen, "DATABASE_URL names no database; write postgres://user@host:5432/db")
        }
        self.url = url
        self.password = password
        address = Self.address(fields)
    }

    private static func address(_ fields: [String: String]) -> String {
        let user = fields["user"].map { "\($0)@" } ?? ""
        let port = fields["port"].map { ":\($0)" } ?? ""
        return "\(user)\(fields["host"] ?? "localhost")\(port)/\(fields["dbname"] ?? "")"
    }

    /// The parameters for libpq. Later ones override the URL's.
    func parameters(applicationName: String) -> [(String, String)] {
        var parameters = [
            ("dbname", url), ("client_encoding", "UTF8"), ("fallback_application_name", applicationName),
            // A peer that is gone is noticed within seconds, also while nothing is to be sent.
            ("tcp_user_timeout", "5000"), ("keepalives_idle", "10"), ("keepalives_interval", "3"),
            ("keepalives_count", "3"),
        ]
        if let password { parameters.append(("password", password)) }
        return parameters
    }
}
