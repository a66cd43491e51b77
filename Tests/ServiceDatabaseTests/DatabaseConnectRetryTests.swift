import Logging
import Persistence
import ServiceTesting
import Testing

@testable import ServiceDatabase

@Suite struct DatabaseConnectRetryTests {
    private let logs = LogCapture()
    private var retry: DatabaseConnectRetry {
        DatabaseConnectRetry(logger: Logger(label: "test") { [logs] _ in logs.handler() })
    }

    @Test func `a server that is away at the start is waited for, and the log says so once`() async throws {
        var attempts = 0
        var pauses: [Duration] = []
        let opened = try await retry.open { () throws(PersistenceError) in
            attempts += 1
            guard attempts > 3 else { throw PersistenceError(.unavailable, "it recovers (57P03)") }
            return "open"
        } pausing: {
            pauses.append($0)
        }
        #expect(opened == "open")
        #expect(pauses == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(logs.all.count == 1)
        #expect(logs.all.first?.contains("it recovers (57P03)") == true)
    }

    @Test func `what waiting cannot mend is reported at once`() async throws {
        var pauses = 0
        let error = await #expect(throws: PersistenceError.self) {
            try await retry.open { () throws(PersistenceError) -> String in
                throw PersistenceError(.cannotOpen, "no such role")
            } pausing: { _ in
                pauses += 1
            }
        }
        #expect(error?.code == .cannotOpen)
        #expect(pauses == 0)
    }

    @Test func `after half a minute the process ends as one that may be started again`() async throws {
        var waited = Duration.zero
        let error = await #expect(throws: PersistenceError.self) {
            try await retry.open { () throws(PersistenceError) -> String in
                throw PersistenceError(.unavailable, "nobody there")
            } pausing: {
                waited += $0
            }
        }
        #expect(error?.exitCode == 69)
        #expect(waited >= DatabaseConnectRetry.timeout && waited < DatabaseConnectRetry.timeout + .seconds(5))
    }
}
