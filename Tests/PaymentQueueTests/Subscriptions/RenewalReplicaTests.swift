import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: with replicas, on PostgreSQL, each period is charged once, by any of them, and a late answer writes nothing.
@Suite(.serialized) struct RenewalReplicaTests {
    @Test func `S1, S6: two replicas work off one move, and each period is paid once`() async throws {
        try await TestStore.with(.postgres) { store in
            try await store.putClock("2027-01-31", frozen: true)
            for number in 0..<24 { _ = try await store.customerApp("s\(number)").subscribe("news.weekly") }
            let replica = try await store.startReplica()
            async let first = store.jump(by: "4w")
            try await eventually("nothing is due") {
                try await replica.service.clocks.sweep()
                return try await store.clockState().nextEvent.map { $0 > (TestStore.instant("2027-02-28")) }
                    ?? false
            }
            #expect(try await first.isFinished)
            #expect(try await store.renewals().count == 24 * 4)
            try await store.checkSubscriptions()
        }
    }

    @Test func `S7: a replica that was thought dead comes too late and writes nothing`() async throws {
        try await TestStore.with(.postgres) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .held)
            async let zombie = store.move(by: "1w", key: "k", within: .seconds(8))
            try await eventually("the charge is on its way") { store.processor.heldCount == 1 }
            // The claim has run out; another replica asks about the same charge.
            let replica = try await store.startReplica(PurchaseClaims(headStart: .zero, lease: .zero))
            async let other = replica.service.clocks.sweep()
            // Each asks with a batch first, and then alone.
            try await eventually("both ask") { store.processor.heldCount == 4 }
            store.processor.release()
            _ = try await (zombie, other)
            try await eventually("the move ends") { try await store.move(by: "1w", key: "k").isFinished }
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1"])
            #expect(try await alice.history().transactions.count == 2)
            try await store.checkSubscriptions()
        }
    }

    @Test func `one key is one move, whichever replica is asked`() async throws {
        try await TestStore.with(.postgres) { store in
            try await store.putClock("2027-01-31", frozen: true)
            _ = try await store.customerApp().subscribe("news.weekly")
            try await store.startReplica()
            let moves = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await store.move(next: 3, key: "k", within: .seconds(10)) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1.advanceIdentifier) }
            }
            #expect(moves.count == 1)
            try await eventually("the move ends") { try await store.move(next: 3, key: "k").isFinished }
            #expect(try await store.renewals().count == 3)
        }
    }
}
