import BusClient
import BusService
import Logging
import PaymentProcessor
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: the ledger is reached through the bus, with errors, silences and callbacks as the bus knows them.
@Suite struct PaymentProcessorServiceTests {
    /// A processor on a bus of its own, with somebody who calls it.
    private struct Stack {
        let bus: InMemoryBus
        let service: BusService
        let caller: ServiceCaller
    }

    private func withProcessor(
        _ mode: ProcessorMode, isRunning: Bool = false, _ body: (Stack) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let database = try SQLiteDatabase.open(
            path: directory.file("ledger.sqlite"), holder: "test", migrations: PaymentProcessorSchema.migrations,
            logger: logger)
        let bus = InMemoryBus()
        let service = BusService(
            name: .paymentProcessor, version: "test", bus: bus.client(name: "payment-processor"), logger: logger)
        let hints = ServiceCaller(bus: bus.client(name: "payment-processor"), caller: "payment-processor")
        let processor = PaymentProcessorService(
            ledger: ChargeLedger(database: database, behavior: SandboxBehavior(mode: mode)), caller: hints,
            logger: logger)
        processor.register(on: service)
        // Not children of the test: they are stopped by hand, as a process is.
        let run = Task { try await service.run() }
        let settling = Task { if isRunning { try await processor.run() } }
        await service.ready()
        let stack = Stack(
            bus: bus, service: service, caller: ServiceCaller(bus: bus.client(name: "test"), caller: "test"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(stack)) } catch { result = .failure(error) }
        for task in [run, settling] {
            task.cancel()
            _ = await task.result
        }
        await database.close()
        try result.get()
    }

    @Test func `create, cancel and list answer on the bus`() async throws {
        try await withProcessor(.approve) { stack in
            let request = try LedgerFixture.request("purchase:t_1")
            let charge = try await stack.caller.call(ProcessorEndpoints.createCharge, request)
            let cancelled = try await stack.caller.call(
                ProcessorEndpoints.cancelCharge, CancelChargeRequest(chargeKey: "other"))
            let listed = try await stack.caller.call(ProcessorEndpoints.listCharges, ChargeListRequest())
            #expect(charge.outcome == .approved)
            #expect(cancelled.outcome == .cancelled)
            #expect(listed.charges == [charge, cancelled])
            let error = await #expect(throws: StoreError.self) {
                try await stack.caller.call(
                    ProcessorEndpoints.createCharge, try LedgerFixture.request("purchase:t_1", "0.01"))
            }
            #expect(error?.details["conflict"] == .string("amount"))
            let health = await stack.service.healthResponse()
            #expect(health.checks["ledger"]?.status == .pass)
        }
    }

    @Test(arguments: [ProcessorMode.timeoutBefore, .timeoutAfter])
    func `P4 an asker that gets no answer sees a timeout, asks again and learns what stands`(
        _ mode: ProcessorMode
    ) async throws {
        try await withProcessor(.approve) { stack in
            let request = try LedgerFixture.request("k", simulate: mode)
            let error = await #expect(throws: StoreError.self) {
                try await stack.caller.call(
                    ProcessorEndpoints.createCharge, request, context: CallContext(deadline: .now + .milliseconds(100)))
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.message.contains("as ordered") == false, "the answer is the caller's own")
            let charge = try await stack.caller.call(ProcessorEndpoints.createCharge, request)
            #expect(charge.outcome == .approved)
        }
    }

    @Test func `a pending charge is approved by itself and its callback is published`() async throws {
        try await withProcessor(.pending, isRunning: true) { stack in
            let heard = Callbacks()
            let listener = try await stack.bus.client(name: "payment-queue").subscribe(ProcessorEvents.chargeChanged) {
                guard let change = try? StoreJSON.decode(ChargeChanged.self, from: $0.body) else { return }
                heard.hear(change)
            }
            let request = try LedgerFixture.request("k")
            #expect(try await stack.caller.call(ProcessorEndpoints.createCharge, request).outcome == .pending)
            try await eventually("the callback") { !heard.sent.isEmpty }
            #expect(try await stack.caller.call(ProcessorEndpoints.createCharge, request).outcome == .approved)
            #expect(heard.sent == ["k"])
            await listener.unsubscribe()
        }
    }
}
