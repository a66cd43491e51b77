import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what a tester is set to do at the sheet is what the app's observer sees, and no failure costs anything.
@Suite(.serialized) struct PaymentSheetTests {
    static let failures: [(TesterSettings, Int)] = [
        (TesterSettings(canMakePayments: false), 4),
        (TesterSettings(signIn: .fails), 0),
        (TesterSettings(signIn: .cancelled), 2),
        (TesterSettings(sheet: .cancel), 2),
        (TesterSettings(sheet: .decline(.paymentInvalid)), 3),
        (TesterSettings(simulatedErrors: .init(purchase: "storeProductNotAvailable")), 5),
        (TesterSettings(simulatedErrors: .init(purchase: "7")), 7),
        (TesterSettings(simulatedErrors: .init(purchase: "networkError")), 0),
    ]

    @Test(arguments: failures, Engine.allCases)
    func `M14, M31, M32, M36, M37: a failing sheet is purchasing, then failed, and nothing is charged`(
        _ failure: (settings: TesterSettings, code: Int), _ engine: Engine
    ) async throws {
        let (settings, code) = failure
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", settings)
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 201)
            #expect(reply.transaction.transactionState == .failed)
            #expect(reply.transaction.error?.code == code)
            #expect(reply.transaction.transactionIdentifier == nil)
            #expect(try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing, .failed])
            #expect(try await store.charges().isEmpty)
            // The same key gets the same answer, though the tester would pay by now.
            try await store.set("alice", TesterSettings())
            #expect(try await alice.add("coins", key: "k").transaction == reply.transaction)
            // M53, M56: like any other it is there at the next launch, and can be finished.
            try await store.restartQueue()
            #expect(try await alice.snapshot(launches: true).transactions.map(\.id) == [reply.transaction.id])
            try await alice.finish(reply.transaction.id)
            #expect(try await alice.snapshot().transactions.isEmpty)
            #expect(try await alice.add("coins", key: "next").transaction.transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M36, M140: signed in and approved is purchased`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(signIn: .ok, sheet: .approve))
            #expect(try await alice.add("coins", key: "k").transaction.transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a failure at the sheet keeps neither offer nor product`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .cancel))
            _ = try await alice.add("pro.monthly", key: "1")
            _ = try await alice.add("beaches", key: "2")
            #expect(try await alice.offers().isEmpty)
            try await store.set("alice", TesterSettings())
            #expect(try await alice.add("pro.monthly", key: "3").transaction.offer?.paymentMode == .freeTrial)
            #expect(try await alice.add("beaches", key: "4").transaction.price == .usd("1.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the app's defaults count where the tester is not set, the tester's own come first`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            store.catalogue.set(
                testerDefaults: TesterSettings(signIn: .cancelled, simulatedErrors: .init(purchase: "clientInvalid")))
            try await store.set("bob", TesterSettings(signIn: .ok))
            #expect(try await alice.add("coins", key: "k").transaction.error?.code == 2)
            #expect(try await bob.add("coins", key: "k").transaction.error?.code == 1)
            try await store.set("bob", TesterSettings(signIn: .ok, simulatedErrors: .init()))
            #expect(try await bob.add("coins", key: "next").transaction.transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what the store itself refuses comes before the sheet`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            #expect(try await alice.add("nothing", key: "k").transaction.error?.code == 3)
            #expect(try await store.prompts().prompts.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M136: a purchase is charged in the storefront the tester lives in now`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            _ = try await alice.add("coins", key: "k")
            #expect(store.catalogue.lastStorefront == "FRA")
        }
    }
}
