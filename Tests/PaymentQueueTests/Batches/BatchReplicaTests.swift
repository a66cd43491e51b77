import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: batches of several payment queues on one PostgreSQL sell each key once, and wait for no customer that another
/// transaction has locked (P2, P3).
/// Method: batches that a test composes, on one queue or on two of them at the same time.
@Suite(.serialized) struct BatchReplicaTests {
    @Test func `P2: a locked customer delays no other customer of the batch`() async throws {
        try await TestStore.with(.postgres) { store in
            let customerApps = try await store.customerApps(4)
            let batches = try ComposedBatches(store)
            let (gate, database) = (RowGate(), batches.database)
            let locked = [customerApps[0], customerApps[2]]
            let holding = Task {
                try await database.write { transaction in
                    for customerApp in locked {
                        _ = try await transaction.query(
                            "SELECT 1 AS one FROM customer WHERE customer_identifier = ? FOR UPDATE",
                            customerApp.customer)
                    }
                    await gate.wait()
                }
            }
            defer { gate.open() }
            try await eventually("two customers are locked") { gate.isWaitedFor }
            let tasks = try await batches.begin(
                customerApps.map { batches.order($0.reference, key: "1") }
                    + customerApps.map { batches.order($0.reference, key: "2") })
            for place in [1, 3, 5, 7] {
                #expect(try await tasks[place].value.stored?.transaction.transactionState == .purchased)
            }
            for customerApp in [customerApps[1], customerApps[3]] {
                #expect(try await customerApp.changes().head == 4)
            }
            for customerApp in locked { #expect(try await customerApp.changes().head == 0) }
            gate.open()
            try await holding.value
            for place in [0, 2, 4, 6] {
                #expect(try await tasks[place].value.stored?.transaction.transactionState == .purchased)
            }
            for customerApp in customerApps {
                #expect(try await customerApp.wholeJournal().map(\.seq) == [1, 2, 3, 4])
            }
            #expect(try await batches.captures.sweep() == 8)
            #expect(Set(batches.captured).count == 8 && batches.voided.isEmpty)
        }
    }

    @Test func `P2: a purchase that has waited for its customer's lock sees what was written meanwhile`() async throws {
        try await TestStore.with(.postgres) { store in
            let customerApps = try await store.customerApps(2)
            let batches = try ComposedBatches(store)
            let (gate, database) = (RowGate(), batches.database)
            let moved = customerApps[0].customer
            let holding = Task {
                try await database.write { transaction in
                    try await transaction.execute(
                        "UPDATE customer SET storefront = 'FRA' WHERE customer_identifier = ?", moved)
                    await gate.wait()
                }
            }
            defer { gate.open() }
            try await eventually("the customer is locked") { gate.isWaitedFor }
            let tasks = try await batches.begin(customerApps.map { batches.order($0.reference, key: "k") })
            #expect(try await tasks[1].value.stored != nil)
            gate.open()
            try await holding.value
            #expect(try await tasks[0].value.storefront == "FRA")
            #expect(try await customerApps[0].changes().head == 0)
            _ = try await batches.captures.sweep()
            #expect(batches.captured.count == 1 && batches.voided.count == 1)
        }
    }

    @Test func `P3: one key in batches of two replicas at once is one purchase, and the other's charge is voided`()
        async throws
    {
        try await TestStore.with(.postgres) { store in
            let replica = try await store.startReplica()
            let sides = [try ComposedBatches(store), try ComposedBatches(store, on: replica)]
            let customerApps = try await store.customerApps(4)
            let (shared, own) = (Array(customerApps[..<2]), Array(customerApps[2...]))
            for round in 0..<10 {
                let orders = zip(sides, own).map { side, customerApp -> [ComposedBatches.Order] in
                    shared.map { side.order($0.reference, key: "\(round)") }
                        + [side.order(customerApp.reference, key: "\(round)")]
                }
                async let first = sides[0].buy(orders[0])
                async let second = sides[1].buy(orders[1])
                let (one, other) = (try await first, try await second)
                for place in shared.indices {
                    let pair = [one[place], other[place]]
                    let sold = pair.compactMap(\.stored)
                    #expect(sold.count == 1)
                    let known = pair.compactMap(\.outcome?.existing)
                    #expect(known.map(\.transactionID) == sold.map(\.id))
                }
                #expect(one[2].stored != nil && other[2].stored != nil)
            }
            for customerApp in customerApps {
                #expect(try await customerApp.wholeJournal().map(\.seq) == [Int64](1...20))
            }
            for side in sides { _ = try await side.captures.sweep() }
            let captured = sides.flatMap(\.captured)
            #expect(Set(captured).count == 40 && captured.count == 40)
            let voided = sides.flatMap(\.voided)
            #expect(Set(voided).count == 20 && voided.count == 20 && Set(voided).isDisjoint(with: captured))
            #expect(try await sides[0].count("payment_transaction") == 40)
        }
    }
}
