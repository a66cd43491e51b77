import BusClient
import BusProtocol
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import BusService

/// Goal: a call goes through deadline, retry, breaker, bulkhead and transport in this order. Method: wherever two
/// neighbours could both decide, the caller's error, or the number of requests on the bus, shows which came first.
@Suite(.timeLimit(.minutes(1)))
struct CallOrderTests {
    private let endpoint = PaymentEndpoints.heads

    private func error(
        _ caller: ServiceCaller, deadline: ContinuousClock.Instant = .now + .seconds(30)
    ) async -> StoreError? {
        await #expect(throws: StoreError.self) {
            try await caller.call(endpoint, ServiceHarness.request, context: CallContext(deadline: deadline))
        }
    }

    @Test func `the deadline comes before the breaker: what is late is late, not unavailable`() async throws {
        let bus = FailingBus(BusError(.timeout, "ordered by the test"))
        let start = ContinuousClock.now
        let caller = ServiceCaller(bus: bus, caller: "test", now: { start })
        for _ in 0..<BusServiceLimits.breakerFailures { #expect(await error(caller)?.code == .deadlineExceeded) }
        #expect(await error(caller)?.code == .serviceUnavailable)
        #expect(await error(caller, deadline: .now)?.code == .deadlineExceeded)
        #expect(bus.asked == BusServiceLimits.breakerFailures)
    }

    @Test func `retries go round the breaker: each attempt counts, and the open one ends them`() async throws {
        let bus = FailingBus(BusError(.overloaded, "ordered by the test"))
        let start = ContinuousClock.now
        let caller = ServiceCaller(bus: bus, caller: "test", retries: true, now: { start })
        for _ in 0..<2 { #expect(await error(caller)?.code == .serviceUnavailable) }
        // Three attempts each; the sixth met the breaker that the fifth had opened.
        #expect(bus.asked == BusServiceLimits.breakerFailures)
    }

    @Test func `the breaker comes before the bulkhead: it refuses where there is room, and takes none`() {
        let start = ContinuousClock.now
        let state = CallerState(now: { start })
        for _ in 0..<BusServiceLimits.bulkhead { #expect(state.enter("a") == .admitted(at: start)) }
        #expect(state.enter("a") == .bulkheadFull)
        for _ in 0..<BusServiceLimits.breakerFailures { state.leave("a", .failed, begun: start) }
        for _ in 0..<BusServiceLimits.bulkhead { #expect(state.enter("a") == .breakerOpen) }
        // Each endpoint has both to itself.
        #expect(state.enter("b") == .admitted(at: start))
    }

    @Test
    func
        `the bulkhead comes before the transport: a full one sends nothing, and the breaker counts nothing`()
        async throws
    {
        let bus = FailingBus(BusError(.noResponders, "ordered by the test"), isHeld: true)
        let caller = ServiceCaller(bus: bus, caller: "test")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<BusServiceLimits.bulkhead { group.addTask { _ = await error(caller) } }
            try await eventually("all places are taken") { bus.asked == BusServiceLimits.bulkhead }
            for _ in 0..<(2 * BusServiceLimits.breakerFailures) {
                #expect(await error(caller)?.message.contains("wait for an answer already") == true)
            }
            #expect(bus.asked == BusServiceLimits.bulkhead)
            await bus.gate.open()
            try await group.waitForAll()
        }
        #expect(await error(caller)?.code == .serviceUnavailable)
        #expect(bus.asked == BusServiceLimits.bulkhead + 1)
    }
}

/// A bus on which every request fails the same way; everything else is an empty bus.
private final class FailingBus: BusClient {
    let gate = CallGate()
    private let error: BusError
    private let isHeld: Bool
    private let count = Locked(0)
    private let empty = InMemoryBus().client(name: "test")

    init(_ error: BusError, isHeld: Bool = false) {
        self.error = error
        self.isHeld = isHeld
    }

    /// Requests that came this far.
    var asked: Int { count.withLock { $0 } }

    func request(
        _ subject: String, body: [UInt8], headers: BusHeaders, key: String?, timeout: Duration
    ) async throws(BusError) -> BusMessage {
        count.withLock { $0 += 1 }
        if isHeld { await gate.pass() }
        throw error
    }

    func requestMany(
        _ subject: String, body: [UInt8], headers: BusHeaders, max: Int, timeout: Duration
    ) async throws(BusError) -> [BusMessage] {
        try await empty.requestMany(subject, body: body, headers: headers, max: max, timeout: timeout)
    }

    func publish(
        _ subject: String, body: [UInt8], headers: BusHeaders, reply: String?, key: String?
    ) throws(BusError) {
        try empty.publish(subject, body: body, headers: headers, reply: reply, key: key)
    }

    func subscribe(
        _ subject: String, queue: String?, max: Int?, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws(BusError) -> any BusSubscription {
        try await empty.subscribe(subject, queue: queue, max: max, handler: handler)
    }

    func flush(timeout: Duration) async throws(BusError) { try await empty.flush(timeout: timeout) }
    func drain() async -> BusDrainReport { await empty.drain() }
    func close() async { await empty.close() }
    var loop: UVLoop? { nil }
    var capabilities: Set<BusCapability> { empty.capabilities }
    var states: AsyncStream<BusConnectionState> { empty.states }
    var state: BusConnectionState { empty.state }
    var endReason: BusError? { empty.endReason }
}
