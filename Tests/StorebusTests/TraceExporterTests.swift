import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Traces on their way to a collector.
@Suite struct TraceExporterTests {
    private static let identity = ServiceIdentity(name: "gateway", id: "i-1", version: "1.2.3")

    private static func settings(_ variables: [String: String]) throws(CLIError) -> OTLPSettings? {
        try OTLPSettings.find(variables)
    }

    @Test func `OpenTelemetry's variables name the collector`() throws {
        #expect(try Self.settings([:]) == nil)
        let base = try #require(try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"]))
        #expect(base.url == "http://c:4318/v1/traces")
        let own = try #require(
            try Self.settings([
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://d/t",
                "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a=b, x=1,",
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
                "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=ci",
            ]))
        #expect(own.url == "https://d/t")
        #expect(own.headers.map { "\($0.name): \($0.value)" } == ["authorization: Bearer a=b", "x: 1"])
        #expect(own.resource.map { "\($0.0)=\($0.1)" } == ["deployment.environment=ci"])
        #expect(
            try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "true"]) == nil)
        #expect(try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": ""]) == nil)
        #expect(throws: CLIError.self) { try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "c:4317"]) }
        #expect(throws: CLIError.self) {
            try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"])
        }
    }

    @Test func `a span has OTLP's members`() throws {
        let settings = try #require(
            try Self.settings([
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c",
                "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=ci,service.name=mine",
            ]))
        var span = Traced.span(
            "00f067aa0ba902b7", "queue.add", in: "a", of: "gateway", at: 0, for: 9_100, error: "notFound")
        span.attributes = ["storebus.transaction": "0001"]
        let body = TraceExporter.body([span], SpansResponse(Self.identity, spans: [span]), settings)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"gateway"}},"#
                + #"{"key":"service.instance.id","value":{"stringValue":"i-1"}},"#
                + #"{"key":"service.version","value":{"stringValue":"1.2.3"}},"#
                + #"{"key":"deployment.environment","value":{"stringValue":"ci"}}]},"#
                + #""scopeSpans":[{"scope":{"name":"storebus","version":"\#(StorebusVersion.number)"},"spans":[{"#
                + #""attributes":[{"key":"storebus.transaction","value":{"stringValue":"0001"}}],"#
                + #""endTimeUnixNano":"1764524424009100000","kind":2,"name":"queue.add","parentSpanId":"a","#
                + #""spanId":"00f067aa0ba902b7","startTimeUnixNano":"1764524424000000000","#
                + #""status":{"code":2,"message":"notFound"},"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}]}]}]}"#)
    }

    @Test func `each span is sent once, those of a failed request again, and a failure is told once`() async throws {
        let ring = SpanRing(capacity: 4)
        for number in 1...3 { ring.add(Traced.span("\(number)", "n", in: nil, of: "gateway", at: 0, for: 1)) }
        let seen = Locked((bodies: [[UInt8]](), told: [String](), status: 200))
        let settings = try #require(try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"]))
        let exporter = TraceExporter(
            settings: settings,
            ask: { after in
                let found = ring.spans(after: after["i-1"] ?? 0, max: 100)
                return [
                    SpansResponse(Self.identity, spans: found.spans, last: found.last, missed: found.missed),
                    SpansResponse(ServiceIdentity(name: "old", id: "i-2", version: "0"), spans: []),
                ]
            },
            post: { body, _ in
                seen.withLock { seen in
                    if seen.status == 200 { seen.bodies.append(body) }
                    return seen.status
                }
            }, tell: { words in seen.withLock { $0.told.append(words.text) } })
        var progress = TraceExporter.Progress()
        await exporter.step(&progress)
        await exporter.step(&progress)
        #expect(progress.sent == 3 && seen.withLock { $0.bodies.count } == 1)
        seen.withLock { $0.status = 503 }
        for number in 4...9 { ring.add(Traced.span("\(number)", "n", in: nil, of: "gateway", at: 0, for: 1)) }
        await exporter.step(&progress)
        await exporter.step(&progress)
        #expect(progress.sent == 3 && seen.withLock { $0.told.count } == 1)
        seen.withLock { $0.status = 200 }
        await exporter.step(&progress)
        #expect(progress.sent == 7 && progress.missed == 2 && !progress.isFailing)
        ring.add(Traced.span("10", "n", in: nil, of: "gateway", at: 0, for: 1))
        seen.withLock { $0.status = 400 }
        await exporter.step(&progress)
        #expect(progress.sent == 7 && progress.missed == 3, "what is refused for good is not sent again")
        seen.withLock { $0.status = 200 }
        await exporter.step(&progress)
        #expect(progress.sent == 7 && progress.missed == 3)
        let last = try #require(seen.withLock { $0.bodies.last })
        #expect((6...9).allSatisfy { String(decoding: last, as: UTF8.self).contains("\"spanId\":\"\($0)\"") })
    }

    @Test func `a collector that is away is asked once in a step, not for each process`() async throws {
        let ids = ["i-1", "i-2"]
        let rings = ids.map { id in
            let ring = SpanRing(capacity: 4)
            ring.add(Traced.span(id, "n", in: nil, of: "gateway", at: 0, for: 1))
            return ring
        }
        let seen = Locked((posts: 0, status: 503))
        let settings = try #require(try Self.settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"]))
        let exporter = TraceExporter(
            settings: settings,
            ask: { after in
                zip(ids, rings).map { id, ring in
                    let found = ring.spans(after: after[id] ?? 0, max: 100)
                    return SpansResponse(
                        ServiceIdentity(name: "gateway", id: id, version: "0"), spans: found.spans, last: found.last,
                        missed: found.missed)
                }
            },
            post: { _, _ in
                seen.withLock { seen in
                    seen.posts += 1
                    return seen.status
                }
            }, tell: { _ in })
        var progress = TraceExporter.Progress()
        await exporter.step(&progress)
        #expect(progress.sent == 0 && seen.withLock { $0.posts } == 1)
        seen.withLock { $0.status = 200 }
        await exporter.step(&progress)
        #expect(progress.sent == 2 && seen.withLock { $0.posts } == 3)
    }

    @Test func `a ring gives each span once, by its number`() {
        let ring = SpanRing(capacity: 3)
        #expect(ring.spans(after: 0, max: 9).last == 0)
        for number in 1...5 { ring.add(Traced.span("\(number)", "n", in: nil, of: "s", at: 0, for: 1)) }
        let all = ring.spans(after: 0, max: 9)
        #expect(all.spans.map(\.spanId) == ["3", "4", "5"] && all.last == 5 && all.missed == 2)
        let some = ring.spans(after: 2, max: 2)
        #expect(some.spans.map(\.spanId) == ["3", "4"] && some.last == 4 && some.missed == 0)
        #expect(ring.spans(after: 5, max: 9).spans.isEmpty && ring.spans(after: 99, max: 9).spans.isEmpty)
    }
}
