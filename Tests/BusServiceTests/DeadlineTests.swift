import BusClient
import BusProtocol
import BusService
import EventLoop
import StoreModels
import Testing

/// Goal: time, trace and identity survive each hop. Method: look at the context a handler gets.
@Suite(.timeLimit(.minutes(1)))
struct DeadlineTests {
    /// What handlers have seen.
    private final class Seen: Sendable {
        let contexts = Locked<[RequestContext]>([])
        func add(_ context: RequestContext) { contexts.withLock { $0.append(context) } }
        var first: RequestContext? { contexts.withLock { $0.first } }
    }

    @Test func `expired work is not executed`() async throws {
        let seen = Seen()
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, context in
                seen.add(context)
                return HeadsReply(heads: [])
            }
        } _: { harness in
            let body = try StoreJSON.encode(ServiceHarness.request)
            let reply = try await harness.callerBus.request(
                PaymentEndpoints.heads.subject, body: body, headers: [BusHeader.sbTimeout: "0"])
            #expect(try StoreJSON.decode(ErrorEnvelope.self, from: reply.body).error.code == .deadlineExceeded)
            let error = await #expect(throws: StoreError.self) {
                try await harness.caller().call(
                    PaymentEndpoints.heads, ServiceHarness.request, context: CallContext(deadline: .now - .seconds(1)))
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(seen.first == nil)
        }
    }

    @Test func `the next hop gets what is left, the same trace with a new span, and the same identity`() async throws {
        let seen = Seen()
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, context in
                seen.add(context)
                return HeadsReply(heads: [])
            }
        } _: { harness in
            let trace = TraceContext()
            let context = CallContext(
                deadline: .now + .seconds(60), traceparent: trace.traceparent, requestIdentifier: "id-1",
                actor: "c:app:customer:device")
            _ = try await harness.caller().call(PaymentEndpoints.heads, ServiceHarness.request, context: context)
            let received = try #require(seen.first)
            #expect(received.remaining <= .seconds(60))
            #expect(received.remaining > .zero)
            #expect(received.traceID == trace.traceID)
            #expect(received.trace.spanID != trace.spanID)
            #expect(received.requestIdentifier == "id-1")
            #expect(received.attempt == 1)
            #expect(received.actor == "c:app:customer:device")
            let next = received.callContext
            #expect(next.deadline == received.deadline)
            #expect(next.traceparent == received.traceparent)
            #expect(next.requestIdentifier == "id-1")
            #expect(next.actor == "c:app:customer:device")
        }
    }

    @Test(arguments: [nil, "", "abc", "-5"] as [String?])
    func `without a readable budget a request has five seconds`(header: String?) async throws {
        let seen = Seen()
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, context in
                seen.add(context)
                return HeadsReply(heads: [])
            }
        } _: { harness in
            var headers: BusHeaders = [:]
            headers[BusHeader.sbTimeout] = header
            headers[BusHeader.traceparent] = "garbage"
            let before = ContinuousClock.now
            _ = try await harness.callerBus.request(
                PaymentEndpoints.heads.subject, body: try StoreJSON.encode(ServiceHarness.request), headers: headers)
            let received = try #require(seen.first)
            #expect(received.deadline >= before + .seconds(5))
            #expect(received.deadline <= ContinuousClock.now + .seconds(5))
            #expect(TraceContext(traceparent: received.traceparent) != nil)
            #expect(received.requestIdentifier.count == 32)
        }
    }

    @Test(arguments: [
        "", "00-0-0-01", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
    ])
    func `a malformed traceparent starts a new trace`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
        #expect(TraceContext.next(after: text).traceID != TraceContext.next(after: text).traceID)
    }

    @Test func `a traceparent is read and written as W3C spells it`() {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(TraceContext(traceparent: text)?.traceparent == text)
        #expect(TraceContext.next(after: text).traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    }
}
