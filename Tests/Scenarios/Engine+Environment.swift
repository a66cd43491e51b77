import Foundation
import StorebusTesting

extension Engine {
    /// The services' settings: none for SQLite, a database of its own on the tests' PostgreSQL server.
    func environment() async throws -> [String: String] {
        guard self == .postgres else { return [:] }
        let server = try await TemporaryPostgres.shared
        let name = "scenario_\(UUID().uuidString.prefix(8).lowercased())"
        let create = Process()
        create.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        create.arguments = ["createdb", "--host", server.directory, "--username", "storebus", name]
        try create.run()
        create.waitUntilExit()
        guard create.terminationStatus == 0 else {
            throw StackError("createdb failed: install PostgreSQL's client programs, apt-get install postgresql-client")
        }
        return ["DATABASE_URL": "postgres://storebus@/\(name)?host=\(server.directory)"]
    }
}
