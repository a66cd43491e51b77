import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: an observer that is connected sees every state of a purchase, on every device it belongs to, and keeps seeing
/// them when the broker dies in between.
@Suite(.process) struct LiveDeliveryTests {
    @Test func `M37, M21: the buying device sees purchasing before purchased, the other device only purchased`()
        async throws
    {
        try await StoreStack.run { store in
            let phone = try await store.session(account: "alice", deviceId: "phone")
            let tablet = try await store.session(account: "alice", deviceId: "tablet")
            var onPhone = try await phone.observe()
            var onTablet = try await tablet.observe()
            _ = try await onPhone.next { $0.name == "synchronized" }
            _ = try await onTablet.next { $0.name == "synchronized" }

            let bought = try await phone.buy("com.example.hiddenBeaches", key: "live-1")
            #expect(try await states(of: bought.id, in: &onPhone) == [.purchasing, .purchased])
            #expect(try await states(of: bought.id, in: &onTablet) == [.purchased])

            try await tablet.finish(bought.id)
            for observer in [onPhone, onTablet] {
                var observer = observer
                let removed = try await observer.next { $0.name == "removedTransactions" }
                #expect(try removed.transactions().map(\.id) == [bought.id])
            }
        }
    }

    @Test func `a stream that is open while the broker is killed still brings the next purchase`() async throws {
        try await StoreStack.run { store in
            let alice = try await store.session(account: "alice")
            var observer = try await alice.observe()
            _ = try await observer.next { $0.name == "synchronized" }
            let killed = try store.signal("broker")
            try await store.waitForReplacement(of: "broker", after: killed)
            let bought = try await alice.buy("com.example.fishingHotSpots", key: "after-the-broker")
            #expect(try await states(of: bought.id, in: &observer).last == .purchased)
        }
    }

    @Test func `M50, M51: each launch brings the unfinished transaction again and counts it`() async throws {
        try await StoreStack.run { store in
            let alice = try await store.session(account: "alice")
            let bought = try await alice.buy("com.example.fishingHotSpots", key: "again")
            var counts: [Int] = []
            for _ in 0..<3 {
                var observer = try await alice.observe()
                let first = try await observer.next { $0.name == "updatedTransactions" }
                counts += try first.transactions().filter { $0.id == bought.id }.map(\.deliveries)
            }
            #expect(counts == [1, 2, 3])
        }
    }

    /// The states of one transaction as they arrive, up to the terminal one, each once.
    private func states(of id: String, in observer: inout Observer) async throws -> [TransactionState] {
        var states: [TransactionState] = []
        while states.last?.isTerminal != true {
            let event = try await observer.next { $0.name == "updatedTransactions" }
            for transaction in try event.transactions() where transaction.id == id {
                if states.last != transaction.transactionState { states.append(transaction.transactionState) }
            }
        }
        return states
    }
}
