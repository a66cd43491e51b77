import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: money and queue agree after any events in any order (P1 to P8, Q3 to Q5).
/// Method: a seeded mixture of purchases, repetitions, finishes, processor trouble, crashes and restarts; then all is
/// healed and the ledger, the journals and the transactions are compared.
@Suite(.serialized, .slow) struct InterleavingTests {
    private struct Key: Hashable {
        var account: String
        var key: String
        var product: String
        var quantity: Int
    }

    @Test(arguments: 0..<6, Engine.allCases)
    func `P1 to P8: any interleaving ends in one charge per purchase that cost something`(
        _ round: Int, _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("interleaving \(round)")
        try await TestStore.with(engine) { store in
            var keys: [Key] = []
            for step in 0..<12 {
                disturb(store, &random)
                let burst = (0..<6).map { number in key(step, number, &keys, &random) }
                let finishes = Bool.random(using: &random)
                await withTaskGroup { group in
                    for key in burst { group.addTask { await attempt(key, in: store, finishes: finishes) } }
                }
                if store.current.crash.hasCrashed { try await store.restartQueue() }
            }
            store.processor.set(trouble: .none)
            try await store.restartQueue()
            try await store.settle()
            try await check(store, Set(keys))
        }
    }

    /// A new key, or one that was used before.
    private func key(_ step: Int, _ number: Int, _ keys: inout [Key], _ random: inout SplitMix64) -> Key {
        if let known = keys.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 { return known }
        let products = ["coins", "beaches", "gift", "pro.monthly", "basic.monthly", "news.weekly", "nothing"]
        let key = Key(
            account: ["alice", "bob"][Int.random(in: 0...1, using: &random)], key: "k\(step)-\(number)",
            product: products[Int.random(in: 0..<products.count, using: &random)],
            quantity: 1)
        keys.append(key)
        return key
    }

    private func disturb(_ store: TestStore, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: store.processor.set(trouble: .before)
        case 1: store.processor.set(trouble: .after)
        case 2: store.processor.set(outcome: Bool.random(using: &random) ? .approved : .declined)
        case 3:
            let checkpoints = Checkpoint.allCases
            store.current.crash.arm(checkpoints[Int.random(in: 0..<checkpoints.count, using: &random)])
        default: store.processor.set(trouble: .none)
        }
    }

    /// Errors are part of the game; what counts is the final state.
    private func attempt(_ key: Key, in store: TestStore, finishes: Bool) async {
        guard let customerApp = try? await store.customerApp(key.account),
            let reply = try? await customerApp.add(
                key.product, key: key.key, quantity: key.quantity, within: .milliseconds(260))
        else { return }
        if finishes, reply.transaction.transactionState.isTerminal {
            _ = try? await customerApp.finish(reply.transaction.id)
        }
    }

    private func check(_ store: TestStore, _ keys: Set<Key>) async throws {
        var settled: [PaymentTransaction] = []
        for key in keys {
            let reply = try await store.customerApp(key.account).add(key.product, key: key.key, quantity: key.quantity)
            #expect(reply.status == 201)
            let again = try await store.customerApp(key.account).add(key.product, key: key.key, quantity: key.quantity)
            #expect(again.isReplayed)
            #expect(again.transaction == reply.transaction)
            settled.append(reply.transaction)
        }
        // P2, P3, P5, P6: what was captured is what was purchased, to the cent and to the key.
        let captured = try await store.charges().filter { $0.outcome == .approved }
        let paid = settled.filter { $0.transactionState == .purchased && ($0.price?.minorUnits ?? 0) > 0 }
        #expect(Set(captured.map(\.chargeKey)) == Set(paid.map { "purchase:\($0.id)" }))
        #expect(captured.count == paid.count)
        #expect(
            captured.reduce(0) { $0 + ($1.amount?.minorUnits ?? 0) }
                == paid.reduce(0) { $0 + ($1.price?.minorUnits ?? 0) })
        let identifiers = settled.compactMap(\.transactionIdentifier)
        #expect(Set(identifiers).count == identifiers.count)
        for account in ["alice", "bob"] { try await check(try await store.customerApp(account), settled) }
    }

    private func check(_ customerApp: CustomerApp, _ settled: [PaymentTransaction]) async throws {
        var changes: [CustomerChange] = []
        while true {
            let page = try await customerApp.changes(after: Int64(changes.count))
            changes += page.changes
            if page.changes.isEmpty { break }
        }
        #expect(changes.map(\.seq) == [Int64](1..<Int64(changes.count) + 1))
        // P7: every transaction is seen purchasing, then in one terminal state, whose later revisions say what became
        // of the purchase (an upgrade took its place, say), and at most once removed.
        var queue: [String] = []
        for (id, path) in Dictionary(grouping: changes, by: \.transactionID) {
            let seen = path.filter { $0.kind == .updated }.compactMap(\.transaction)
            #expect(seen.first?.transactionState == .purchasing)
            let states = Set(seen.dropFirst().map(\.transactionState))
            #expect(states.count == 1 && states.allSatisfy(\.isTerminal))
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.revision < $1.revision })
            let removals = path.count { $0.kind == .removed }
            #expect(removals <= 1)
            if removals == 1 {
                #expect(path.last { $0.kind != .subscriptionChanged }?.kind == .removed)
            } else {
                queue.append(id)
            }
        }
        #expect(Set(try await customerApp.snapshot().transactions.map(\.id)) == Set(queue))
        // O1: at most one offer per group; P8: a non-consumable is paid for once.
        let mine = Dictionary(grouping: changes, by: \.transactionID).keys
        let bought = settled.filter { mine.contains($0.id) && $0.transactionState == .purchased }
        #expect(bought.count { $0.offer != nil } <= 1)
        #expect(bought.count { $0.payment.productIdentifier == "beaches" && ($0.price?.minorUnits ?? 0) > 0 } <= 1)
    }
}
