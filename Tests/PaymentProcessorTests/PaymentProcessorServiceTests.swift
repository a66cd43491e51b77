import BusClient
import BusService
import Logging
import PaymentProcessor
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: the ledger is reached through the bus, with errors as the bus spells them.
@Suite struct PaymentProcessorServiceTests {
    @Test func `create, cancel and list answer on the bus`() async throws {
        let directory = try TemporaryDirectory()
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let database = try SQLiteDatabase.open(
            path: directory.file("ledger.sqlite"), holder: "test", migrations: PaymentProcessorSchema.migrations,
            logger: logger)
        let bus = InMemoryBus()
        let service = BusService(
            name: .paymentProcessor, version: "test", bus: bus.client(name: "payment-processor"), logger: logger)
        PaymentProcessorService(ledger: ChargeLedger(database: database, behavior: SandboxBehavior(mode: .approve)))
            .register(on: service)
        let run = Task { try await service.run() }
        await service.ready()
        let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        let amount = try #require(Currency(code: "USD").flatMap { Money(amount: "1.99", currency: $0) })
        let request = CreateChargeRequest(
            chargeKey: "purchase:t_1", amount: amount, bundleId: "b", customerIdentifier: "c", productIdentifier: "p")
        let charge = try await caller.call(ProcessorEndpoints.createCharge, request)
        let cancelled = try await caller.call(ProcessorEndpoints.cancelCharge, CancelChargeRequest(chargeKey: "other"))
        let listed = try await caller.call(ProcessorEndpoints.listCharges, ChargeListRequest())
        #expect(charge.outcome == .approved)
        #expect(cancelled.outcome == .cancelled)
        #expect(listed.charges == [charge, cancelled])
        var conflict = request
        conflict.amount.minorUnits = 1
        let error = await #expect(throws: StoreError.self) {
            try await caller.call(ProcessorEndpoints.createCharge, conflict)
        }
        #expect(error?.details["conflict"] == .string("amount"))
        let health = await service.healthResponse()
        #expect(health.checks["ledger"]?.status == .pass)
        run.cancel()
        _ = await run.result
        await database.close()
    }
}
