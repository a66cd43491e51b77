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
    /// A processor on a bus of its own, with a caller.
    private struct Stack {
        let bus: InMemoryBus
        let service: BusService
        let caller: ServiceCaller

        /// Patient, because a machine may be busy with other things for a while.
        func call<Request, Response>(
            _ endpoint: Endpoint<Request, Response>, _ request: Request
        ) async throws(StoreError) -> Response {
            try await caller.call(endpoint, request, context: CallContext(deadline: .now + .seconds(60)))
        }
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
            let charge = try await stack.call(ProcessorEndpoints.createCharge, request)
            let cancelled = try await stack.call(
                ProcessorEndpoints.cancelCharge, CancelChargeRequest(chargeKey: "other"))
            let listed = try await stack.call(ProcessorEndpoints.listCharges, ChargeListRequest())
            #expect(charge.outcome == .approved)
            #expect(cancelled.outcome == .cancelled)
            #expect(listed.charges == [charge, cancelled])
            let error = await #expect(throws: StoreError.self) {
                try await stack.call(
                    ProcessorEndpoints.createCharge, try LedgerFixture.request("purchase:t_1", "0.01"))
            }
            #expect(error?.details["conflict"] == .string("amount"))
            let health = await stack.service.healthResponse()
            #expect(health.checks["ledger"]?.status == .pass)
        }
    }

    @Test func `an authorized batch answers on the bus, each charge with its own result`() async throws {
        try await withProcessor(.approve) { stack in
            let reply = try await stack.call(
                ProcessorEndpoints.authorizeCharges,
                AuthorizeChargesRequest(charges: [
                    try LedgerFixture.request("purchase:t_1"), try LedgerFixture.request("purchase:t_2", "0.00"),
                ]))
            let listed = try await stack.call(ProcessorEndpoints.listCharges, ChargeListRequest())
            #expect(reply.charges.map(\.charge) == [listed.charges.first, nil])
            #expect(listed.charges.map(\.outcome) == [.authorized])
            let error = StoreError(
                .requestInvalid, "amount must be above zero", details: ["path": .string("$.amount")])
            #expect(reply.charges.map(\.error) == [nil, error])
        }
    }

    @Test(arguments: [ProcessorMode.timeoutBefore, .timeoutAfter])
    func `P4 a caller without an answer sees a timeout, asks again and gets the charge`(
        _ mode: ProcessorMode
    ) async throws {
        try await withProcessor(.approve) { stack in
            let request = try LedgerFixture.request("k", simulate: mode)
            var (errors, charge): ([StoreError], Charge?) = ([], nil)
            try await eventually("an answer", within: .seconds(60)) {
                do throws(StoreError) {
                    let context = CallContext(deadline: .now + .milliseconds(300))
                    charge = try await stack.caller.call(ProcessorEndpoints.createCharge, request, context: context)
                } catch {
                    errors.append(error)
                }
                return charge != nil
            }
            #expect(charge?.outcome == .approved)
            // A breaker opens when several were not answered in a row, as it does for a processor that is away.
            #expect(errors.first?.code == .deadlineExceeded)
            #expect(errors.allSatisfy { $0.code == .deadlineExceeded || $0.code == .serviceUnavailable })
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
            #expect(try await stack.call(ProcessorEndpoints.createCharge, request).outcome == .pending)
            try await eventually("the callback", within: .seconds(60)) { !heard.sent.isEmpty }
            #expect(try await stack.call(ProcessorEndpoints.createCharge, request).outcome == .approved)
            #expect(heard.sent == ["k"])
            await listener.unsubscribe()
        }
    }
}
