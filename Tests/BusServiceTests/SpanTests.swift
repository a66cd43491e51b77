import BusClient
import BusProtocol
import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing
import Tracing

/// Spans of a process.
@Suite struct SpanTests {
    private func span(
        _ number: Int, trace: String = "t", parent: String? = nil, lasting micros: Int64 = 1,
        attributes: [String: String] = [:]
    ) -> TraceSpan {
        TraceSpan(
            traceId: trace, spanId: "\(number)", parentSpanId: parent, name: "n", kind: .server, service: "s",
            instance: "i", startedAtMicros: Int64(number), durationMicros: micros, error: nil, attributes: attributes)
    }

    private func ids(_ ring: SpanRing, _ request: SpanRequest) -> [String] { ring.spans(request).map(\.spanId) }

    @Test func `a ring keeps the newest spans, and finds them newest first`() {
        let ring = SpanRing(capacity: 3)
        #expect(ids(ring, SpanRequest(limit: 10)) == [])
        for number in 1...2 { ring.add(span(number)) }
        #expect(ids(ring, SpanRequest(limit: 10)) == ["2", "1"])
        for number in 3...7 { ring.add(span(number)) }
        #expect(ids(ring, SpanRequest(limit: 10)) == ["7", "6", "5"])
        #expect(ids(ring, SpanRequest(limit: 2)) == ["7", "6"])
    }

    @Test func `spans are found by trace, text, duration and place`() {
        let ring = SpanRing()
        ring.add(span(1, trace: "a", lasting: 50, attributes: ["storebus.transaction": "0001"]))
        ring.add(span(2, trace: "a", parent: "1"))
        ring.add(span(3, trace: "b", lasting: 7))
        #expect(ids(ring, SpanRequest(traceIds: ["a"], limit: 9)) == ["2", "1"])
        #expect(ids(ring, SpanRequest(text: "0001", limit: 9)) == ["1"])
        #expect(ids(ring, SpanRequest(text: "b", limit: 9)) == ["3"])
        #expect(ids(ring, SpanRequest(atLeastMicros: 7, limit: 9)) == ["3", "1"])
        #expect(ids(ring, SpanRequest(rootsOnly: true, limit: 9)) == ["3", "1"])
        #expect(ids(ring, SpanRequest(text: "000", limit: 9)) == [])
    }

    @Test func `a ring without a place keeps nothing, and its spans do not begin`() {
        let ring = SpanRing(capacity: 0)
        ring.add(span(1))
        #expect(ids(ring, SpanRequest(limit: 9)) == [])
        #expect(SpanKeeper(service: "s", instance: "i", ring: ring).begin("n", .server, TraceContext()) == nil)
    }

    @Test func `spans of the tracing API are parts of the request within which they begin`() async throws {
        let ring = SpanRing()
        let request = try #require(
            SpanKeeper(service: "s", instance: "i", ring: ring).begin("request", .server, TraceContext(), parent: "p"))
        await request.during {
            await SpanTracer.during("work") {}
            SpanTracer.note("storebus.transaction", "0001")
            SpanTracer.note("storebus.absent", nil)
            SpanTracer().withSpan("outer", ofKind: .client) { outer in
                outer.attributes["count"] = 3
                SpanTracer().withSpan("inner") { inner in inner.setStatus(SpanStatus(code: .error, message: "bad")) }
            }
            #expect(throws: StoreError.self) {
                try SpanTracer().withSpan("thrown") { _ in throw StoreError(.notFound, "none") }
            }
        }
        request.end(error: nil)
        request.end(error: "twice")
        let spans = Dictionary(ring.spans(SpanRequest(limit: 9)).map { ($0.name, $0) }) { first, _ in first }
        #expect(Set(spans.keys) == ["request", "work", "outer", "inner", "thrown"])
        let root = try #require(spans["request"])
        #expect(root.parentSpanId == "p" && root.error == nil)
        #expect(root.attributes == ["storebus.transaction": "0001"])
        #expect(spans.values.allSatisfy { $0.traceId == root.traceId && $0.service == "s" })
        #expect(spans["work"]?.parentSpanId == root.spanId && spans["work"]?.kind == .internal)
        #expect(spans["outer"]?.parentSpanId == root.spanId && spans["outer"]?.kind == .client)
        #expect(spans["outer"]?.attributes == ["count": "3"])
        #expect(spans["inner"]?.parentSpanId == spans["outer"]?.spanId && spans["inner"]?.error == "bad")
        #expect(spans["thrown"]?.error == "notFound")
    }

    @Test func `a span outside of a request is not kept`() {
        let span = SpanTracer().withSpan("alone") { $0 }
        #expect(!span.isRecording)
    }
}
