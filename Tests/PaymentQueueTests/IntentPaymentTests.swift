import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a promoted purchase becomes one payment at most (I3), and one that a test URL has begun is sold before its
/// product is available (M109).
@Suite(.serialized) struct IntentPaymentTests {
    private func payment(_ product: String = "coins", key: String, intent: String? = "i_1") -> Payment {
        Payment(requestIdentifier: key, productIdentifier: product, intentIdentifier: intent)
    }

    @Test(arguments: Engine.allCases)
    func `I3 the same key is replayed, another key of the same intent is intentDecided and charges nothing`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add(payment(key: "intent:i_1"))
            #expect(first.status == 201)
            #expect(first.transaction.payment.intentIdentifier == "i_1")
            let again = try await alice.add(payment(key: "intent:i_1"))
            #expect(again.isReplayed)
            #expect(again.transaction == first.transaction)
            let other = try await refusal { try await alice.add(payment(key: "k")) }
            #expect(other?.code == .intentDecided)
            #expect(other?.status == 409)
            // Not another one's either, and not after a finish.
            try await alice.finish(first.transaction.id)
            let bob = try await store.customerApp("bob")
            #expect(try await refusal { try await bob.add(payment(key: "k")) }?.code == .intentDecided)
            #expect(try await store.charges().count == 1)
            #expect(try await store.transactions().count == 1)
            // A new payment for the product has nothing to do with it (M81).
            #expect(try await alice.add(payment(key: "k", intent: nil)).status == 201)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 32 payments of one intent at once, with keys of their own, are one payment`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let customerApps = [try await store.customerApp("alice"), try await store.customerApp("bob")]
            let outcomes = try await withThrowingTaskGroup { group in
                for number in 0..<32 {
                    group.addTask {
                        do {
                            return try await customerApps[number % 2].add(payment(key: "k\(number)")).transaction.id
                        } catch let error as StoreError where error.code == .intentDecided {
                            return ""
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { !$0.isEmpty } == 1)
            #expect(try await store.charges().count == 1)
            #expect(try await store.transactions().count == 1)
        }
    }

    @Test func `I3 two payment queues on one database make one payment of an intent`() async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await store.startReplica()
            let customerApps = [try await store.customerApp("alice"), try await store.customerApp("bob")]
            for round in 0..<8 {
                let codes = try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            let payment = payment(key: "\(round)-\(number)", intent: "i_\(round)")
                            return try await refusal { try await customerApps[number % 2].add(payment) }?.code
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.allSatisfy { $0 == nil || $0 == .intentDecided })
            }
            #expect(try await store.charges().count == 8)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 a payment that failed was the intent's one payment too`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(canMakePayments: false))
            let failed = try await alice.add(payment(key: "1")).transaction
            #expect(failed.transactionState == .failed)
            try await store.set("alice", TesterSettings(canMakePayments: true))
            #expect(try await refusal { try await alice.add(payment(key: "2")) }?.code == .intentDecided)
            #expect(try await alice.add(payment(key: "1")).transaction.id == failed.id)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the same key with another intent is another payment`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add(payment(key: "k"))
            for intent in [nil, "i_2"] as [String?] {
                let code = try await refusal { try await alice.add(payment(key: "k", intent: intent)) }?.code
                #expect(code == .keyReused)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `I1 I3 a crash after the first commit leaves one payment, that the same key and the sweep finish`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.current.crash.arm(.afterFirstCommit)
            _ = try? await alice.add(payment(key: "intent:i_1"))
            try await store.restartQueue()
            #expect(try await refusal { try await alice.add(payment(key: "other")) }?.code == .intentDecided)
            try await store.settle()
            let reply = try await alice.add(payment(key: "intent:i_1"))
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M109 what a test URL has begun is sold before the product is available, and nothing else is`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product("soon", .consumable, "0.99"), availability: .notForSale)
            let alice = try await store.customerApp()
            // One after the other within the second in which a quote is kept.
            for round in 0..<2 {
                for isTest in [nil, true, false] as [Bool?] {
                    let key = "\(round)-\(isTest.map(String.init) ?? "none")"
                    let bought = try await alice.add(payment("soon", key: key, intent: key), isTest: isTest)
                    #expect(bought.transactionState == (isTest == true ? .purchased : .failed))
                    #expect(bought.error?.name == (isTest == true ? nil : "storeProductNotAvailable"))
                }
            }
            #expect(try await store.charges().count == 2)
        }
    }
}

extension CustomerApp {
    /// A payment as PromotionController adds it.
    fileprivate func add(_ payment: Payment, isTest: Bool?) async throws -> PaymentTransaction {
        try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device, payment: payment,
                isTest: isTest)
        ).transaction
    }
}
