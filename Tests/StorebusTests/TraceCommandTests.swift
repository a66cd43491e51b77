import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// `storebus trace`
@Suite struct TraceCommandTests {
    private func run(_ arguments: [String], _ response: TracesResponse = Traced.response) async -> (
        CLIExit, Recorder, FakeStore
    ) {
        let store = FakeStore()
        store.answer("GET /admin/v1/traces", JSONText.value(response))
        let (status, said) = await Recorder.run(
            arguments, variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"], transport: store)
        return (status, said, store)
    }

    /// The pairs of the last request's query.
    private func query(_ store: FakeStore) -> [String] {
        let parts = store.requests.last?.path.split(separator: "?").map(String.init) ?? []
        guard parts.first == "/admin/v1/traces", parts.count == 2 else { return parts }
        return parts[1].split(separator: "&").map(String.init).sorted()
    }

    @Test func `a waterfall has each span below its parent, and its course`() async {
        let (status, said, store) = await run(["trace", "2000000000000001"])
        #expect(status == .success)
        #expect(
            said.result == """
                trace  4bf92f3577b34da6a3ce929d0e0e4736  2025-11-30 17:40:24Z
                SPAN               SERVICE                TOOK  ERROR     COURSE
                POST /v1/payments  gateway            12.40 ms  -         ████████████████████████████████
                  queue.add        payment-queue       9.10 ms  -              ███████████████████████
                    commit         payment-queue       3.01 ms  -                     ███████
                charge.capture     payment-processor   0.05 ms  notFound                                █

                """)
        #expect(query(store) == ["limit=5", "of=2000000000000001"])
    }

    @Test func `a list has the newest requests`() async {
        let (_, said, store) = await run(["trace", "--slower-than", "100ms", "--limit", "5"])
        #expect(
            said.result == """
                TRACE                             BEGAN                     TOOK  REQUEST            SERVICE  SPANS  ERROR
                4bf92f3577b34da6a3ce929d0e0e4736  2025-11-30 17:40:24Z  12.40 ms  POST /v1/payments  gateway      4  -

                """)
        #expect(said.narration == "next: storebus trace 4bf92f3577b34da6a3ce929d0e0e4736\n")
        #expect(query(store) == ["limit=5", "slowerThan=100"])
    }

    @Test func `an identifier that no process knows is said`() async {
        let (status, said, _) = await run(["trace", "nothing"], TracesResponse(traces: []))
        #expect(status == .refused && said.narration.contains("no process keeps a trace of 'nothing'"))
    }

    @Test func `spans that name each other as parents are shown once, and end`() {
        func span(_ id: String, in parent: String) -> TraceSpan {
            Traced.span(id, id, in: parent, of: "gateway", at: 0, for: 10)
        }
        let trace = TracesResponse.Trace(traceId: Traced.trace, spans: [span("a", in: "a"), span("b", in: "c")])
        let shown = TraceInfo.waterfall(trace).text(.plain)
        #expect(shown.contains("b  ") && !shown.contains("  b"))
    }
}
