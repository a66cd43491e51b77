import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

@Suite struct CommandSessionTests {
    private let installation = Installation(bundleId: "com.example.app", account: "a/lice")

    @Test func `a session is kept for the next command, readable by its owner only`() async throws {
        let directory = try TemporaryDirectory()
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, JSONText.value(Fixtures.session))
        ])
        let keeper = SessionCache(api: transport.api(), directory: directory.path)
        let first = try await keeper.session(installation)
        #expect(try await keeper.session(installation).token == first.token)
        #expect(transport.requests.count == 1)
    }

    @Test func `a kept session the store no longer takes is renewed once`() async throws {
        let directory = try TemporaryDirectory()
        let session = JSONText.value(Fixtures.session)
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.get, "/v1/transactions", 401, StubTransport.problem(401, .unauthenticated)),
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.get, "/v1/transactions", 200, .object(["transactions": .array([])])),
        ])
        let keeper = SessionCache(api: transport.api(), directory: directory.path)
        _ = try await keeper.session(installation)
        let found = try await keeper.with(installation) { session throws(CLIError) in
            try await keeper.api.all(TransactionRoutes.unfinished, token: session.token)
        }
        #expect(found.isEmpty)
        #expect(transport.unused == 0)
    }

    @Test func `asking for a storefront is left to the store`() async throws {
        let directory = try TemporaryDirectory()
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, JSONText.value(Fixtures.session)),
            StubTransport.on(.post, "/v1/sessions", 409, StubTransport.problem(409, .storefrontMismatch)),
        ])
        let keeper = SessionCache(api: transport.api(), directory: directory.path)
        _ = try await keeper.session(installation)
        var french = installation
        french.storefront = "FRA"
        let error = await #expect(throws: CLIError.self) { try await keeper.session(french) }
        #expect(error?.code.name == "storefrontMismatch")
    }

    @Test func `the observer connects again when the stream ends, and stops when a newer session took over`()
        async throws
    {
        let recorder = Recorder()
        let transport = StubTransport(
            [
                StubTransport.on(.post, "/v1/sessions", 201, JSONText.value(Fixtures.session)),
                StubTransport.on(.post, "/v1/sessions", 201, JSONText.value(Fixtures.session)),
            ],
            streams: [
                ["event: synchronized\nda", "ta: {\"seq\":1}\n\n"],
                ["event: superseded\ndata: {\"seq\":2}\n\n"],
            ])
        let context = try await Fixtures.context(transport, recorder, "-o", "json")
        try await StreamWatcher(installation: installation, context: context).run()
        #expect(
            recorder.result == """
                {"data":{"seq":1},"event":"synchronized"}
                {"data":{"seq":2},"event":"superseded"}

                """)
        #expect(recorder.narration.contains("connecting again in 100 ms"))
        #expect(recorder.narration.contains("took over"))
    }
}
