import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an app decides whether a purchase goes on when its shopper has moved to another storefront meanwhile.
@Suite(.serialized) struct StorefrontChangeTests {
    /// A store in which alice has an open sheet, and has moved to France.
    private func withMoved(
        _ engine: Engine, _ settings: TesterSettings = TesterSettings(sheet: .interactive), product: String = "coins",
        _ body: (TestStore, CustomerApp, PaymentTransaction) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", settings)
            let begun = try await alice.add(product, key: "k").transaction
            var moved = settings
            moved.storefront = "FRA"
            try await store.set("alice", moved)
            try await body(store, alice, begun)
        }
    }

    @Test(arguments: Engine.allCases)
    func `L17: the app is asked, and with yes the purchase goes on at the price agreed to`(
        _ engine: Engine
    ) async throws {
        try await withMoved(engine) { store, alice, begun in
            let asked = try #require(try await store.answer(try await store.prompt().id, .approve).transaction)
            #expect(asked.transactionState == .purchasing)
            #expect(asked.revision == begun.revision + 1)
            #expect(asked.storefrontChange?.storefront == Storefront(countryCode: "FRA", identifier: "143442"))
            #expect(asked.storefrontChange?.answerBy == store.now + .seconds(10))
            #expect(try await store.prompt().kind == .storefrontChange)
            // A launch gets it too.
            #expect(try await alice.snapshot().transactions == [asked])
            #expect(try await store.charges().isEmpty)
            let bought = try await alice.continuePurchase(asked.id, true)
            #expect(bought.transactionState == .purchased)
            #expect(bought.storefrontChange == nil)
            #expect(try await store.charges().map(\.amount) == [.usd("0.99")])
            #expect(try await store.prompts().prompts.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `L17: with no it fails as not available, and nothing is charged or held`(_ engine: Engine) async throws {
        try await withMoved(engine, product: "pro.yearly") { store, alice, begun in
            try await store.answer(try await store.prompt().id, .approve)
            let failed = try await alice.continuePurchase(begun.id, false)
            #expect(failed.transactionState == .failed)
            #expect(failed.error?.code == 5)
            #expect(failed.error?.reason == "storefrontChanged")
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
            // Late, or once more: the first answer counts.
            #expect(try await alice.continuePurchase(begun.id, true) == failed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an app that does not answer in ten seconds has said yes`(_ engine: Engine) async throws {
        try await withMoved(engine) { store, alice, begun in
            try await store.answer(try await store.prompt().id, .approve)
            store.advance(by: .seconds(9))
            #expect(try await store.current.service.prompts.sweep() == 0)
            store.advance(by: .seconds(1))
            #expect(try await store.current.service.prompts.sweep() == 1)
            #expect(try await alice.get(begun.id).transactionState == .purchased)
            #expect(try await alice.continuePurchase(begun.id, false).transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the app is asked once a move, between any two people`(_ engine: Engine) async throws {
        let settings = TesterSettings(askToBuy: true, signIn: .interactive, sheet: .interactive)
        try await withMoved(engine, settings) { store, alice, begun in
            try await store.answer(try await store.prompt().id, .approve)
            #expect(try await store.prompt().kind == .storefrontChange)
            _ = try await alice.continuePurchase(begun.id, true)
            for kind in [Prompt.Kind.sheet, .askToBuy] {
                let prompt = try await store.prompt()
                #expect(prompt.kind == kind)
                try await store.answer(prompt.id, .approve)
            }
            #expect(try await alice.get(begun.id).transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `who has not moved is asked nothing, and no device answers for another`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let begun = try await alice.add("coins", key: "k").transaction
            #expect(try await alice.continuePurchase(begun.id, false) == begun)
            #expect(
                try await refusal { try await alice.on(device: "pad").continuePurchase(begun.id, true) }?.code
                    == .notFound)
            let bought = try await store.answer(try await store.prompt().id, .approve).transaction
            #expect(bought?.transactionState == .purchased)
            #expect(bought?.revision == 2)
        }
    }

    @Test func `without the catalogue the new storefront is unknown, and nothing is changed`() async throws {
        try await withMoved(.sqlite) { store, alice, begun in
            await store.stopCatalogue()
            let prompt = try await store.prompt()
            #expect(try await refusal { try await store.answer(prompt.id, .approve) }?.code == .serviceUnavailable)
            #expect(try await store.prompt() == prompt)
            #expect(try await alice.get(begun.id) == begun)
        }
    }
}

extension CustomerApp {
    @discardableResult
    func continuePurchase(_ id: String, _ shouldContinue: Bool) async throws -> PaymentTransaction {
        try await store.caller.call(
            PaymentEndpoints.continueTransaction,
            ContinueTransactionRequest(
                transaction: TransactionRequest(
                    bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device, id: id),
                shouldContinue: shouldContinue))
    }
}
