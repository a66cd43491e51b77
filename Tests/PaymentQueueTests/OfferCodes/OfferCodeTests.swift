import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a code is redeemed as often as it may be, once by a customer, and what it sells is a purchase like any other.
@Suite(.serialized) struct OfferCodeTests {
    private func withStore(_ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            var half = ProductDiscount.discount(.payUpFront, "4.99", 1, .month)
            (half.identifier, half.type) = ("HALF", .subscription)
            var free = ProductDiscount.discount(.freeTrial, "0.00", 1, .month)
            (free.identifier, free.type) = ("FREE", .subscription)
            let offers = [
                RedeemableOffer(type: .code, offer: half, audiences: [.new]), RedeemableOffer(type: .code, offer: free),
            ]
            store.catalogue.sell(.star, level: 1, redeemable: offers)
            store.catalogue.sell(.subscription("moon.monthly", group: "star"), level: 2, redeemable: offers)
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            try await body(store, alice)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O6: a custom code is redeemed once by each customer, at the offer's price, until its limit`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let made = try await store.makeCode("Spring26", limit: 2)
            #expect(made.code == "SPRING26" && made.kind == .custom && made.oneTimeCodes == nil && made.isActive)
            let bought = try await alice.redeem("spring26", key: "1")
            #expect(bought.price == .usd("4.99"))
            #expect(bought.offer?.type == .code && bought.offer?.identifier == "HALF")
            // The same key has the same answer, and another code is another payment.
            #expect(try await alice.redeem("SPRING26", key: "1") == bought)
            try await store.makeCode("OTHER", offer: "FREE", limit: 2)
            #expect(try await alice.refusal(of: "OTHER", key: "1") == .keyReused)
            #expect(try await alice.refusal(of: "SPRING26", key: "2") == .codeRedeemed)
            // Another code of the same offer.
            try await store.makeCode("AUTUMN26", limit: 2)
            #expect(try await alice.refusal(of: "AUTUMN26", key: "3") == .codeRedeemed)
            _ = try await store.customerApp("bob").redeem("SPRING26", key: "1")
            let carol = try await store.customerApp("carol")
            #expect(try await carol.refusal(of: "SPRING26", key: "1") == .codeSpent)
            #expect(try await store.code(made).redemptions == 2)
            let approved = try await store.charges().filter { $0.outcome == .approved }
            #expect(approved.map(\.amount) == [.usd("4.99"), .usd("4.99")])
            // A refused code makes no transaction.
            #expect(try await store.transactions().count == 2)
            #expect(try await carol.refusal(of: "NOSUCH", key: "2") == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O6: each one-time code is redeemed once, and the batch counts them`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let batch = try await store.makeBatch(of: 3)
            let codes = try #require(batch.oneTimeCodes)
            #expect(Set(codes).count == 3 && batch.code == nil && batch.redemptionsMax == 3)
            let listed = with(batch) { $0.oneTimeCodes = nil }
            #expect(try await store.codes() == [listed])
            _ = try await alice.redeem(codes[0], key: "1")
            let bob = try await store.customerApp("bob")
            #expect(try await bob.refusal(of: codes[0], key: "1") == .codeSpent)
            _ = try await bob.redeem(codes[1], key: "2")
            #expect(try await store.code(batch).redemptions == 2)
            let texts = try await store.database.read { reader in
                try await reader.query("SELECT digest FROM offer_code_text").map { try $0["digest"] as String }
            }
            #expect(texts.sorted() == codes.map(OfferCodeRules.digest(of:)).sorted())
        }
    }

    @Test(arguments: Engine.allCases)
    func `a code ends by the app's clock, and an operator's word stops it`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let made = try await store.makeCode("SPRING26", limit: 9, days: 30)
            #expect(made.expiresAt == TestStore.instant("2027-03-31"))
            _ = try await store.activate(made, false)
            #expect(try await alice.refusal(of: "SPRING26", key: "1") == .codeExpired)
            _ = try await store.activate(made, true)
            try await store.jump(to: "2027-03-31")
            #expect(try await alice.refusal(of: "SPRING26", key: "1") == .codeExpired)
            #expect(try await store.code(made).redemptions == 0)
            let unknown = ActivateOfferCodeRequest(
                bundleId: "com.example.other", codeIdentifier: made.codeIdentifier, isActive: true)
            let refused = try await refusal { try await store.caller.call(PaymentEndpoints.activateOfferCode, unknown) }
            #expect(refused?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer outside the audience, and one with a higher level, are refused`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            try await store.makeCode("NEW", limit: 9)
            try await store.makeCode("ALL", offer: "FREE", limit: 9)
            try await store.makeCode("LOWER", of: "moon.monthly", offer: "FREE", limit: 9)
            _ = try await alice.subscribe("star.monthly")
            #expect(try await alice.refusal(of: "NEW", key: "1") == .codeIneligible)
            #expect(try await alice.refusal(of: "LOWER", key: "2") == .codeIneligible)
            // The operator's purchase by reference name follows the same rule.
            let lower = RedeemedOffer(type: .code, identifier: "FREE")
            #expect(try await alice.buy("moon.monthly", key: "3", redeeming: lower).error?.code == 18)
            let free = try await alice.redeem("ALL", key: "4")
            #expect(free.price == .usd("0.00") && free.transactionState == .purchased)
            store.catalogue.sell(.star, level: 1)
            let bob = try await store.customerApp("bob")
            #expect(try await bob.refusal(of: "NEW", key: "1") == .codeIneligible)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upgrade by a code takes effect at once`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            try await store.makeCode("UP", offer: "FREE", limit: 9)
            _ = try await alice.subscribe("moon.monthly")
            let bought = try await alice.redeem("UP", key: "1")
            #expect(bought.transactionState == .purchased && bought.effectiveDate == nil)
            #expect(try await alice.subscription().productIdentifier == "star.monthly")
        }
    }

    @Test(arguments: Engine.allCases)
    func `O6: a purchase that fails gives its redemption back`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let batch = try await store.makeBatch(of: 1)
            let code = try #require(batch.oneTimeCodes?.first)
            // At its first commit, and after a question to a parent.
            store.processor.set(outcome: .declined)
            #expect(try await alice.redeem(code, key: "1").transactionState == .failed)
            store.processor.set(outcome: .approved)
            #expect(try await store.code(batch).redemptions == 0)
            try await store.set("alice", TesterSettings(askToBuy: true))
            let asked = try await alice.redeem(code, key: "2")
            #expect(asked.transactionState == .deferred)
            #expect(try await store.code(batch).redemptions == 1)
            let bob = try await store.customerApp("bob")
            #expect(try await bob.refusal(of: code, key: "1") == .codeSpent)
            #expect(try await alice.refusal(of: code, key: "3") == .codeRedeemed)
            try await store.decline(asked.id)
            #expect(try await store.code(batch).redemptions == 0)
            let bought = try await bob.redeem(code, key: "2")
            #expect(bought.transactionState == .purchased)
            #expect(try await store.code(batch).redemptions == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O6: a waiting purchase that is cleared away gives its redemption back, a finished one does not`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let batch = try await store.makeBatch(of: 1)
            let code = try #require(batch.oneTimeCodes?.first)
            try await store.set("alice", TesterSettings(askToBuy: true))
            #expect(try await alice.redeem(code, key: "1").transactionState == .deferred)
            #expect(try await store.code(batch).redemptions == 1)
            #expect(try await store.clear("alice") == 1)
            #expect(try await store.code(batch).redemptions == 0)
            let bob = try await store.customerApp("bob")
            #expect(try await bob.redeem(code, key: "1").transactionState == .purchased)
            #expect(try await store.clear("bob") == 1)
            #expect(try await store.code(batch).redemptions == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an interrupted purchase holds no redemption, and its continuation takes one`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let made = try await store.makeCode("SPRING26", limit: 1)
            try await store.set("alice", TesterSettings(interruptPurchases: true))
            let failed = try await alice.redeem("SPRING26", key: "1")
            #expect(try await store.code(made).redemptions == 0)
            let resolved = try await store.resolve(failed.id)
            #expect(resolved.transactionState == .purchased && resolved.price == .usd("4.99"))
            #expect(try await store.code(made).redemptions == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a redemption that waited for another purchase and then finds the code spent fails, with the reason`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let made = try await store.makeCode("SPRING26", offer: "FREE", limit: 1)
            try await store.set("alice", TesterSettings(sheet: .interactive))
            _ = try await alice.add("star.monthly", key: "1")
            try await store.set("alice", TesterSettings(sheet: .auto))
            let waiting = try await alice.redeem("SPRING26", key: "2")
            #expect(waiting.transactionState == .purchasing)
            #expect(try await store.code(made).redemptions == 0)
            _ = try await store.customerApp("bob").redeem("SPRING26", key: "1")
            try await store.answer(try await store.prompt().id, .cancel)
            try await store.settle()
            let failed = try await alice.get(waiting.id)
            #expect(failed.error?.reason == "codeSpent" && failed.error?.name == "ineligibleForOffer")
            #expect(try await store.code(made).redemptions == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a cleared customer may redeem again, and the code's count stays`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let made = try await store.makeCode("SPRING26", limit: 2)
            _ = try await alice.redeem("SPRING26", key: "1")
            #expect(try await store.clear("alice") == 1)
            #expect(try await store.code(made).redemptions == 1)
            _ = try await alice.redeem("SPRING26", key: "1")
            #expect(try await store.code(made).redemptions == 2)
        }
    }

    // MARK: Races

    @Test(arguments: Engine.allCases)
    func `O6: of many customers who redeem the last codes at once, as many as are left succeed`(
        _ engine: Engine
    ) async throws {
        let (customers, limit) = (24, 5)
        try await withStore(engine) { store, _ in
            if engine == .postgres { _ = try await store.startReplica() }
            let made = try await store.makeCode("LAST", limit: limit)
            let outcomes = try await withThrowingTaskGroup { group in
                for number in 0..<customers {
                    let app = try await store.customerApp("racer-\(number)", device: "d\(number)")
                    group.addTask {
                        try await app.refusal(of: "LAST", key: "k", within: .seconds(30))
                    }
                }
                return try await group.reduce(into: [StoreErrorCode?]()) { $0.append($1) }
            }
            let (sold, spent) = (outcomes.filter { $0 == nil }, outcomes.filter { $0 == .codeSpent })
            #expect(sold.count == limit && spent.count == customers - limit)
            #expect(try await store.code(made).redemptions == limit)
            let approved = try await store.charges().filter { $0.outcome == .approved }
            #expect(approved.count == limit)
            #expect(try await store.transactions().count == limit)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O6, P3: a redemption that is sent many times with one key is counted once`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            if engine == .postgres { _ = try await store.startReplica() }
            let batch = try await store.makeBatch(of: 1)
            let code = try #require(batch.oneTimeCodes?.first)
            let ids = try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await alice.redeem(code, key: "k", within: .seconds(30)).id } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await store.code(batch).redemptions == 1)
            let approved = try await store.charges().filter { $0.outcome == .approved }
            #expect(approved.count == 1)
        }
    }

    // MARK: The operator's list

    @Test(arguments: Engine.allCases)
    func `a word is an app's once, and lists have pages`(_ engine: Engine) async throws {
        try await withStore(engine) { store, _ in
            let first = try await store.makeCode("SPRING26", limit: 2)
            let again = try await refusal { try await store.makeCode("spring26", limit: 2) }
            #expect(again?.status == 422 && again?.details["path"] == "$.code")
            store.advance(by: .seconds(1))
            let second = try await store.makeCode("AUTUMN26", limit: 2)
            let page = try await store.caller.call(
                PaymentEndpoints.listOfferCodes, OfferCodesRequest(bundleId: Catalogue.bundleId, limit: 1))
            #expect(page == OfferCodesPage(codes: [first], after: first.codeIdentifier))
            let rest = try await store.caller.call(
                PaymentEndpoints.listOfferCodes,
                OfferCodesRequest(bundleId: Catalogue.bundleId, after: page.after, limit: 1))
            #expect(rest == OfferCodesPage(codes: [second]))
        }
    }

    @Test func `an app has at most a thousand codes, and a million one-time codes`() async throws {
        try await withStore(.sqlite) { store, _ in
            try await store.database.write { transaction in
                for number in 0..<OfferCodeRules.perAppMax - 1 {
                    try await transaction.execute(
                        """
                        INSERT INTO offer_code (
                            id, bundle_id, product_identifier, offer_identifier, redemptions_max, created_at)
                        VALUES (?, ?, 'star.monthly', 'HALF', 1001, 0)
                        """, "o_\(number)", Catalogue.bundleId)
                }
            }
            // 999 batches of 1001 codes leave one.
            let tooMany = try await refusal { try await store.makeBatch(of: 2) }
            #expect(tooMany?.status == 422 && tooMany?.details["path"] == "$.count")
            _ = try await store.makeBatch(of: 1)
            let full = try await refusal { try await store.makeCode("SPRING26", limit: 1) }
            #expect(full?.status == 422 && full?.details["path"] == "$.code")
            _ = try await store.caller.call(
                PaymentEndpoints.activateOfferCode,
                ActivateOfferCodeRequest(bundleId: Catalogue.bundleId, codeIdentifier: "o_0", isActive: false))
            try await store.makeCode("SPRING26", limit: 1)
        }
    }

    @Test func `the largest batch fits into one reply`() async throws {
        try await withStore(.sqlite) { store, alice in
            let batch = try await store.makeBatch(of: NewOfferCode.batchMax)
            let codes = try #require(batch.oneTimeCodes)
            #expect(Set(codes).count == NewOfferCode.batchMax)
            let bought = try await alice.redeem(try #require(codes.last), key: "1")
            #expect(bought.transactionState == .purchased)
        }
    }
}

extension TestStore {
    @discardableResult
    fileprivate func makeCode(
        _ word: String, of product: String = "star.monthly", offer: String = "HALF", limit: Int, days: Int? = nil
    ) async throws -> OfferCode {
        try await make(
            NewOfferCode(
                productIdentifier: product, offer: offer, code: word, redemptionsMax: limit, expiresInDays: days))
    }

    fileprivate func makeBatch(of count: Int) async throws -> OfferCode {
        try await make(
            NewOfferCode(productIdentifier: "star.monthly", offer: "HALF", count: count, expiresInDays: 90))
    }

    private func make(_ new: NewOfferCode) async throws -> OfferCode {
        try await caller.call(
            PaymentEndpoints.addOfferCode, NewOfferCodeRequest(bundleId: Catalogue.bundleId, new: new),
            context: CallContext(deadline: .now + .seconds(30)))
    }

    fileprivate func codes() async throws -> [OfferCode] {
        try await caller.call(
            PaymentEndpoints.listOfferCodes, OfferCodesRequest(bundleId: Catalogue.bundleId, limit: 500)
        ).codes
    }

    /// The code as it is now.
    fileprivate func code(_ made: OfferCode) async throws -> OfferCode {
        try #require(try await codes().first { $0.codeIdentifier == made.codeIdentifier })
    }

    fileprivate func activate(_ code: OfferCode, _ isActive: Bool) async throws -> OfferCode {
        try await caller.call(
            PaymentEndpoints.activateOfferCode,
            ActivateOfferCodeRequest(
                bundleId: Catalogue.bundleId, codeIdentifier: code.codeIdentifier, isActive: isActive))
    }
}

extension CustomerApp {
    /// Redeems a code.
    /// - Returns: The error, or nil if it was redeemed.
    fileprivate func refusal(
        of text: String, key: String, within time: Duration = .seconds(5)
    ) async throws -> StoreErrorCode? {
        do {
            try await redeem(text, key: key, within: time)
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    /// Redeems a code as the gateway does.
    @discardableResult
    fileprivate func redeem(
        _ text: String, key: String, within time: Duration = .seconds(5)
    ) async throws -> PaymentTransaction {
        let code = try await store.caller.call(
            PaymentEndpoints.findOfferCode, FindOfferCodeRequest(bundleId: Catalogue.bundleId, offerCode: text))
        return try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device,
                payment: Payment(requestIdentifier: key, productIdentifier: code.productIdentifier),
                redeemedOffer: RedeemedOffer(type: .code, identifier: code.offer), redeemedCode: code),
            context: CallContext(deadline: .now + time)
        ).transaction
    }
}
