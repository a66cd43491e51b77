import BusClient
import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the jobs beside the endpoints do their work by themselves and end in order.
@Suite(.serialized) struct RunningTests {
    @Test(arguments: Engine.allCases)
    func `P4: what was left unknown is resolved without a request, then the database is closed`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let begun = try await alice.begin("coins", key: "k").transaction
            let queue = store.current
            let run = Task { try await queue.service.run() }
            try await store.startProcessor()
            try await eventually("the janitor has resolved it", within: .seconds(20)) {
                try await alice.get(begun.id).transactionState == .purchased
            }
            run.cancel()
            _ = await run.result
            #expect(try await refusal { try await alice.get(begun.id) }?.code == .serviceUnavailable)
        }
    }

    @Test(arguments: Engine.allCases)
    func `health tells of quarantined transactions`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let discovery = ServiceDiscovery(store.bus.client(name: "operator"))
            let before = try await discovery.health("payment-queue")
            #expect(before.first?.checks["quarantine"]?.status == .pass)
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "k")
            _ = try await store.database.write { transaction in
                try await transaction.execute(
                    "UPDATE payment_transaction SET state = 'purchasing', phase = 'quarantined', "
                        + "transaction_number = NULL"
                )
            }
            let after = try await discovery.health("payment-queue", timeout: .seconds(2))
            #expect(after.first?.checks["quarantine"]?.status == .warn)
            #expect(after.first?.status == .warn)
        }
    }
}
