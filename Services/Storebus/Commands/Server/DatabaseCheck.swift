import Glibc

/// Whether the PostgreSQL that the services are to use can be reached from here; with SQLite there is nothing to ask.
struct DatabaseCheck {
    let environment: CommandEnvironment

    func findings() async -> [Finding] {
        let address: DatabaseAddress
        do throws(CLIError) {
            guard let found = try DatabaseAddress.find(flag: nil, environment.variables) else { return [] }
            address = found
        } catch {
            return [Finding("database", .fail, error.message, remedy: error.hints.joined(separator: "; "))]
        }
        return [await server(address), password].compactMap(\.self)
    }

    /// One of several is enough.
    private func server(_ address: DatabaseAddress) async -> Finding {
        var reasons: [String] = []
        for server in address.servers {
            guard let reason = await PostgresProbe.check(server) else {
                return Finding("database", .pass, "PostgreSQL answers at \(address.place)")
            }
            reasons.append(reason)
        }
        return Finding(
            "database", .fail, "no PostgreSQL at \(address.place) (\(reasons.joined(separator: ", ")))",
            remedy: "start it, or correct DATABASE_URL; without it services use SQLite")
    }

    private var password: Finding? {
        guard let file = environment.variables["DATABASE_PASSWORD_FILE"] else { return nil }
        var information = stat()
        guard stat(file, &information) == 0, access(file, R_OK) == 0 else {
            return Finding(
                "database password", .fail, "cannot read \(file): \(FileAccess.systemReason)",
                remedy: "correct DATABASE_PASSWORD_FILE")
        }
        guard information.st_mode & 0o077 == 0 else {
            return Finding("database password", .warn, "others may read \(file)", remedy: "chmod 600 \(file)")
        }
        return Finding("database password", .pass, "readable by its owner only")
    }
}
