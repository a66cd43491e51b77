import EventLoop
import Logging
import Persistence
import StorebusTesting
import Testing

/// Goal: a store that another build has made is refused by name, and stays as it is. Method: real processes.
@Suite(.serialized) struct SchemaRefusalTests {
    @Test(arguments: Engine.allCases)
    func `storebus up ends with 78 and names the database that another build has made, and the remedy`(
        _ engine: Engine
    ) async throws {
        let directory = try TemporaryDirectory(prefix: "storebus-schema")
        let environment = try await engine.environment()
        let schema = [Migration(number: 1, name: "accounts", sql: "CREATE TABLE account (id TEXT PRIMARY KEY)")]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let database: any SQLDatabase
        let place: String
        if let url = environment["DATABASE_URL"] {
            database = try await PostgresDatabase.open(
                PostgresLocation(url: url), holder: "payment-queue", migrations: schema, loop: try TestDatabase.loop,
                logger: logger)
            place = "schema payment_queue"
        } else {
            place = directory.file("payment-queue.sqlite")
            database = try SQLiteDatabase.open(
                path: place, holder: "payment-queue", migrations: schema, logger: logger)
        }
        await database.close()
        let error = await #expect(throws: StackError.self) {
            try await StoreProcess(environment: environment, in: directory).stop()
        }
        let said = error?.description ?? ""
        #expect(said.contains("storebus up ended with 78"), "\(said)")
        #expect(said.contains("\(place) has the schema of another build: its step 1 is 'accounts'"), "\(said)")
        #expect(said.contains(engine == .sqlite ? "storebus up --data DIRECTORY" : "DATABASE_URL"), "\(said)")
    }
}
