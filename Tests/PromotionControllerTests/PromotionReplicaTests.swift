import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: any number of promotion controllers on one PostgreSQL are as one (I1–I3).
/// Method: two of them share the bus's queue group, so each request goes to either.
@Suite(.serialized) struct PromotionReplicaTests {
    private func withReplicas(_ body: (PromotionTestStore, Phone) async throws -> Void) async throws {
        try await PromotionTestStore.with(.postgres) { store in
            try await store.startReplica()
            try await body(store, try await store.launchedPhone())
        }
    }

    @Test func `I2: of different decisions at two replicas at once one counts, and all others get an error`()
        async throws
    {
        try await withReplicas { store, alice in
            for round in 0..<12 {
                let intent = try await alice.begin("p\(round)")
                let states = try await withThrowingTaskGroup(of: StorePurchaseIntent.State?.self) { group in
                    for number in 0..<8 {
                        let decision: DecideIntentRequest.Decision = number.isMultiple(of: 2) ? .continue : .cancel
                        group.addTask {
                            var reply: DecideIntentReply?
                            let error = try await refusal {
                                let decided = try await alice.decide(decision, intent)
                                reply = decided
                                return decided
                            }
                            if let error { #expect(error.code == .intentDecided) }
                            return reply?.intent.state
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                }
                #expect(states.count == 4)
                #expect(Set(states).count == 1)
                #expect(try await alice.get(intent).state == states.first)
            }
            try await store.sweep()
            let continued = try await store.search(state: .continued).intents
            #expect(store.payments.transactions.count == continued.count)
            #expect(Set(continued.map(\.transactionId)).count == continued.count)
        }
    }

    @Test func `I3: continue and the saved payment at two replicas at once are one payment`() async throws {
        try await withReplicas { store, alice in
            for round in 0..<8 {
                let intent = try await alice.begin("p\(round)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<9 {
                        group.addTask {
                            let error = try await refusal {
                                number.isMultiple(of: 3)
                                    ? try await alice.decide(.continue, intent)
                                    : try await alice.add(intent, key: "k\(round).\(number % 3)", product: "p\(round)")
                            }
                            if let error { #expect(error.code == .intentDecided) }
                        }
                    }
                    try await group.waitForAll()
                }
                let paid = store.payments.transactions.filter { $0.payment.intentIdentifier == intent }
                #expect(paid.count == 1)
                #expect(try await alice.get(intent).transactionId == paid.first?.id)
            }
        }
    }

    @Test func `I1: sweeps of two replicas hand each payment over, and each intent is deferred once`() async throws {
        try await withReplicas { store, alice in
            let replica = try await store.startReplica()
            await store.stopPayments()
            for number in 0..<12 { try await alice.decide(.continue, try await alice.begin("p\(number)")) }
            for number in 0..<12 { _ = try await alice.begin("q\(number)") }
            try await alice.deliver()
            let start = try await store.position()
            store.wait(.seconds(11))
            try await store.startPayments()
            let other = replica.service.intents
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await store.sweep() }
                    group.addTask { _ = try await other.sweep(now: .now + .seconds(60)) }
                }
                try await group.waitForAll()
            }
            #expect(store.payments.transactions.count == 12)
            #expect(try await alice.intents(.deferred).count == 12)
            let events = try await store.events(after: start, count: 12)
            #expect(events.count == 12 && events.allSatisfy { $0.type == .intentDeferred })
        }
    }

    @Test func `what a dead replica has continued another one pays`() async throws {
        try await withReplicas { store, alice in
            let intent = try await alice.begin()
            await store.stopPayments()
            try await alice.decide(.continue, intent)
            await store.stopController()
            try await store.startPayments()
            try await store.startController()
            try await store.sweep()
            #expect(try await alice.get(intent).transactionId == store.payments.transactions.first?.id)
        }
    }
}
