import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Commands that run until they are interrupted.
@Suite struct WatchTests {
    /// Runs a command until what it says satisfies `isEnough`, then ends it.
    private func follow(
        _ arguments: [String], store: FakeStore = FakeStore(), directory: String = "/nowhere",
        meanwhile: (Recorder) async throws -> Void = { _ in }, until isEnough: @Sendable (Recorder) -> Bool
    ) async throws -> Recorder {
        let recorder = Recorder()
        let environment = CommandEnvironment(
            console: recorder.console, variables: ["STOREBUS_ADMIN_KEY": "admin"], currentDirectory: directory,
            transport: { _ in store })
        let command = Task { await CommandLineEntry.run(arguments, environment: environment) }
        try await meanwhile(recorder)
        try await eventually("\(arguments) says enough", within: .seconds(300)) { isEnough(recorder) }
        command.cancel()
        #expect(await command.value == CLIExit.success.rawValue)
        return recorder
    }

    @Test func `watch shows every event once, in order, over a store that is away for a moment`() async throws {
        let store = FakeStore(takesTime: true)
        store.answer("GET /admin/v1/events/wait") { [store] request in
            switch store.requests(.get, "/admin/v1/events/wait").count {
            case 1: return (200, ["events": .array([]), "after": "e_7"])
            case 2: return (503, StubTransport.problem(503, .serviceUnavailable))
            case 3:
                return request.path.contains("after=e_7") ? (200, FakeStore.waited) : (400, .null)
            default: return (200, ["events": .array([]), "after": "e_8"])
            }
        }
        let said = try await follow(["watch", "product~pro"], store: store) { $0.result.contains("purchased") }
        #expect(said.result.split(separator: "\n").count == 1)
        #expect(said.result.hasPrefix("2026-11-21 10:00:04Z  alice  2000000000000001  purchased  pro.monthly"))
        #expect(said.narration.contains("asking again in"))
    }

    @Test(arguments: PositionFault.allCases)
    func `watch goes on from now when the store has lost its place, and says from when to when it missed events`(
        _ fault: PositionFault
    ) async throws {
        let store = FakeStore(takesTime: true)
        store.answer("GET /admin/v1/events/wait") { [store] request in
            switch store.requests(.get, "/admin/v1/events/wait").count {
            case 1: return (200, ["events": .array([]), "after": "e_7"])
            case 2:
                let details = StoreError.position(fault).details
                return (400, StubTransport.problem(400, .requestInvalid, details: details))
            case 3: return request.path.contains("after=") ? (400, .null) : (200, FakeStore.waited)
            default: return (200, ["events": .array([]), "after": "e_8"])
            }
        }
        let said = try await follow(["watch"], store: store) { $0.result.contains("purchased") }
        #expect(said.result.split(separator: "\n").count == 1)
        #expect(said.narration.split(separator: "\n").count { $0.hasPrefix("note: events between ") } == 1)
    }

    @Test func `a watch that begins while a service is away waits for it`() async throws {
        let store = FakeStore(takesTime: true)
        store.answer("GET /admin/v1/events/wait") { [store] _ in
            switch store.requests(.get, "/admin/v1/events/wait").count {
            case 1: return (503, StubTransport.problem(503, .serviceUnavailable))
            case 2: return (500, StubTransport.problem(500, .internal))
            case 3: return (200, FakeStore.waited)
            default: return (200, ["events": .array([]), "after": "e_8"])
            }
        }
        let said = try await follow(["watch"], store: store) { $0.result.contains("purchased") }
        #expect(said.narration.split(separator: "\n").count { $0.contains("asking again in") } == 2)
    }

    @Test func `watch ends by itself after --timeout, and a refusal ends it at once`() async {
        let store = FakeStore(takesTime: true)
        store.answer("GET /admin/v1/events/wait", ["events": .array([]), "after": "e_8"])
        let (status, said) = await Recorder.run(
            ["watch", "--timeout", "50ms"], variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store)
        #expect(status == .success, "\(said.narration)")
        #expect(!said.narration.contains("Ctrl-C"))
        store.answer("GET /admin/v1/events/wait", status: 401, StubTransport.problem(401, .unauthenticated))
        let refused = await Recorder.run(["watch", "--timeout", "1h"], transport: store)
        #expect(refused.status == .notAllowed)
    }

    @Test func `watch says at once when there is no store`() async {
        let (status, said) = await Recorder.run(["watch", "--url", "http://127.0.0.1:9"])
        #expect(status == .unreachable)
        #expect(said.narration.contains("[serverUnreachable]"))
    }

    @Test func `a file is imported again when it changes, and a refused one ends nothing`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        let store = FakeStore(takesTime: true)
        let said = try await follow(
            ["import", file, "--watch"], store: store,
            meanwhile: { recorder in
                try await eventually("it watches", within: .seconds(300)) { recorder.narration.contains("watching") }
                try FileAccess.write(Array("{".utf8), to: file, mode: 0o600)
                try await eventually("it is refused", within: .seconds(300)) {
                    recorder.narration.contains("[catalogInvalid]")
                }
                try FileAccess.write(Array(#"{"products":[ ]}"#.utf8), to: file, mode: 0o600)
            }, until: { $0.result.split(separator: "\n").count == 2 })
        #expect(said.result.split(separator: "\n").allSatisfy { $0.hasPrefix("imported  App.storekit") })
        #expect(store.requests(.put, "/admin/v1/apps/com.example.app/catalog").count == 2)
    }

    @Test func `logs are followed as they grow`() async throws {
        let project = try TemporaryDirectory()
        let directory = DataDirectory(project.file(".storebus"))
        try directory.prepare()
        let path = directory.logFile("catalog")
        func append(_ message: String) throws {
            let file = try #require(fopen(path, "a"))
            fputs(#"{"time":"2026-11-21T10:00:04.161Z","level":"info","message":"\#(message)"}"# + "\n", file)
            fclose(file)
        }
        try append("first")
        let said = try await follow(
            ["logs", "-f", "-o", "jsonl"], directory: project.path,
            meanwhile: { recorder in
                try await eventually("the first line", within: .seconds(300)) { recorder.result.contains("first") }
                try append("second")
            }, until: { $0.result.contains("second") })
        #expect(said.result.split(separator: "\n").count == 2)
    }
}
