import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

private typealias Product = StoreKitClient.Product

/// Goal: one stream serves both front ends, and each of the sequences keeps its habit.
@Suite struct UpdatesTests {
    private func opened(_ shop: FakeShop) -> [String] {
        shop.gateway.requests("GET /v1/transactions/stream").map(\.query)
    }

    @Test func `8, 11: each iterator gets what comes from outside, and the stream ends with the last`() async throws {
        let shop = try FakeShop()
        let (first, second) = await shop.run { (shop.collect(Transaction.updates), shop.collect(Transaction.updates)) }
        try await eventually("the lists were read") { !shop.gateway.requests("GET /v1/signed/subscriptions").isEmpty }
        shop.tell(signedTransaction(1), .outside)
        shop.tell(signedTransaction(2), .renewal)
        for seen in [first.seen, second.seen] {
            try await eventually("both came") { seen.withLock { $0.map(\.id) } == [1, 2] }
        }
        #expect(opened(shop) == ["form=2"])
        first.task.cancel()
        second.task.cancel()
        try await eventually("the stream is closed") { shop.stream.isClosed }
    }

    @Test func `F2: what the family shares comes from outside, and its loss is an update`() async throws {
        let shop = try FakeShop()
        let updates = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("the lists were read") { !shop.gateway.requests("GET /v1/signed/subscriptions").isEmpty }
        let ownership: [String: JSONValue] = ["inAppOwnershipType": "FAMILY_SHARED"]
        shop.tell(signedTransaction(1, more: ownership), .outside)
        let lost = ownership.merging(["revocationType": "FAMILY_REVOKE"]) { $1 }
        let revoked = 1_795_600_001_000
        shop.tell(signedTransaction(1, signedDate: revoked, revoked: revoked, more: lost), .revocation)
        try await eventually("both came") { updates.seen.withLock { $0.count } == 2 }
        let seen = updates.seen.withLock { $0.map(\.unsafePayloadValue) }
        #expect(seen.map(\.ownershipType) == [.familyShared, .familyShared])
        #expect(seen.map(\.revocationType) == [nil, .familyRevocation])
        updates.task.cancel()
    }

    @Test func `9, 10: an iterator begins with everything unfinished`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.unfinished] = [signedTransaction(2), signedTransaction(1)] }
        let first = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("they came") { first.seen.withLock { $0.map(\.id) } == [2, 1] }
        let finished = try #require(first.seen.withLock { $0.first }).unsafePayloadValue
        await shop.run { await finished.finish() }
        #expect(shop.gateway.requests("POST /v1/transactions/2/finish").count == 1)
        let later = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("the other one came") { later.seen.withLock { $0.map(\.id) } == [1] }
        first.task.cancel()
        later.task.cancel()
    }

    @Test func `31: finishing is once, and the listing forgets it before the store has`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.unfinished] = [signedTransaction(1)] }
        await shop.run {
            for await result in Transaction.unfinished {
                await result.unsafePayloadValue.finish()
                await result.unsafePayloadValue.finish()
            }
            for await result in Transaction.unfinished { Issue.record("\(result.id) is finished") }
        }
        #expect(shop.gateway.requests("POST /v1/transactions/1/finish").count == 1)
    }

    @Test func `31: finishing returns after one attempt, and goes on until the store is there`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.unfinished] = [signedTransaction(1)] }
        let transaction = try #require(await shop.run { await Transaction.unfinished.first { _ in true } })
        shop.gateway.on("POST /v1/transactions/*/finish") { _ in .drop }
        await shop.run { await transaction.unsafePayloadValue.finish() }
        #expect(!shop.gateway.requests("POST /v1/transactions/1/finish").isEmpty)
        let count = LockedValue(0)
        shop.gateway.on("POST /v1/transactions/*/finish") { _ in
            count.withLock { $0 += 1 }
            return .json([String: String]())
        }
        try await eventually("it is finished") { count.withLock { $0 } == 1 }
    }

    @Test func `31: a refused finish can be tried again`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.unfinished] = [signedTransaction(1)] }
        let updates = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("it came") { updates.seen.withLock { $0.map(\.id) } == [1] }
        let transaction = try #require(updates.seen.withLock { $0.first }).unsafePayloadValue
        shop.gateway.on(
            "POST /v1/transactions/*/finish", [.problem(.requestInvalid), .json([String: String]())])
        await shop.run { await transaction.finish() }
        #expect(await shop.run { await self.ids(of: Transaction.unfinished) } == [1])
        let later = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("a new iterator begins with it") { later.seen.withLock { $0.map(\.id) } == [1] }
        await shop.run { await transaction.finish() }
        #expect(await shop.run { await self.ids(of: Transaction.unfinished) } == [])
        #expect(shop.gateway.requests("POST /v1/transactions/1/finish").count == 2)
        for task in [updates.task, later.task] { task.cancel() }
    }

    @Test func `a newer launch takes the stream, and a new iterator begins another launch`() async throws {
        let shop = try FakeShop()
        let second = FakeStream.beginning()
        shop.gateway.on("GET /v1/transactions/stream", [.stream(shop.stream), .stream(second)])
        let first = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("the lists were read") { !shop.gateway.requests("GET /v1/signed/subscriptions").isEmpty }
        shop.stream.send("superseded", ["seq": 1])
        try await eventually("the stream is closed") { shop.stream.isClosed }
        try await eventually("the queue knows") { shop.queue.core.state.withLock { $0.stream == nil } }
        shop.state.withLock { ($0.seq, $0.lists[.unfinished]) = (2, [signedTransaction(1)]) }
        let later = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("it came") { later.seen.withLock { $0.map(\.id) } == [1] }
        #expect(opened(shop) == ["form=2", "form=2"])
        for task in [first.task, later.task] { task.cancel() }
    }

    @Test func `40: an observer has what StoreKit 2 bought, and finishing it there finishes it everywhere`()
        async throws
    {
        let shop = try FakeShop()
        let (first, second) = (FakeStream.beginning(), FakeStream.beginning())
        shop.gateway.on("GET /v1/transactions/stream", [.stream(first), .stream(second)])
        let observer = RecordingObserver()
        shop.queue.add(observer)
        try await eventually("the stream is open") { opened(shop) == [""] }
        let updates = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("another one has signed data") { opened(shop) == ["", "form=2"] }
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.purchased, signedTransaction(7))] }
        _ = try await shop.product().purchase()
        let key = try #require(shop.gateway.requests("POST /v1/purchases").first?.key)
        var model = PaymentTransaction.sample("t7", key: key)
        model.transactionIdentifier = "7"
        second.updated([model])
        second.send(
            "signedTransaction",
            SignedTransactionEvent(
                seq: 2, id: "t7", cause: .purchase, requestIdentifier: key, originDeviceId: "alice-1",
                signedTransaction: signedTransaction(7)))
        try await eventually("the observer has it") { observer.states == [.purchased] }
        shop.queue.finishTransaction(try #require(observer.transactions.last))
        try await eventually("it is finished") { observer.calls.contains(.removed(1)) }
        shop.state.withLock { $0.lists[.unfinished] = [signedTransaction(7)] }
        #expect(await shop.run { await self.ids(of: Transaction.unfinished) } == [])
        #expect(shop.gateway.requests("POST /v1/transactions/t7/finish").count == 1)
        #expect(updates.seen.withLock { $0.isEmpty })
        updates.task.cancel()
    }

    @Test func `39: StoreKit 2's sequence has a renewal of what the queue bought, and finishes it for the observer`()
        async throws
    {
        let shop = try FakeShop()
        let observer = RecordingObserver()
        shop.gateway.on("POST /v1/payments") { [stream = shop.stream] request in
            .purchase("t1", key: request.key ?? "", stream)
        }
        let updates = await shop.run { shop.collect(Transaction.updates) }
        shop.queue.add(observer)
        shop.queue.add(SKPayment(product: SKProduct(try StoreModels.Product.sample("p"))))
        try await eventually("it is bought") { observer.states.contains(.purchased) }
        let key = shop.gateway.requests("POST /v1/payments").first?.key
        shop.tell(signedTransaction(200002, product: "p"), .purchase, key: key)
        var renewal = PaymentTransaction.sample("t2", revision: 3, key: "renewal")
        renewal.transactionIdentifier = "9"
        shop.stream.updated([renewal])
        shop.tell(signedTransaction(9, product: "p"), .renewal)
        try await eventually("the renewal came") { updates.seen.withLock { $0.map(\.id) } == [9] }
        let transaction = try #require(updates.seen.withLock { $0.first }).unsafePayloadValue
        await shop.run { await transaction.finish() }
        #expect(shop.gateway.requests("POST /v1/transactions/t2/finish").count == 1)
        try await eventually("the observer knows") { observer.calls.contains(.removed(1)) }
        updates.task.cancel()
    }

    @Test func `1: lists end, and are empty without error while the store is away`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.entitlements] = [signedTransaction(1)] }
        let ids = await shop.run { await self.ids(of: Transaction.currentEntitlements) }
        #expect(ids == [1])
        // The present revision is not sent again.
        let again = await shop.run { await Transaction.currentEntitlement(for: "x") }
        #expect(again?.id == 1)
        #expect(await shop.run { await self.ids(of: Transaction.currentEntitlements) } == [1])
        let queries = shop.gateway.requests("GET /v1/signed/transactions").map(\.query)
        #expect(queries.map { $0.contains("revision=r1") } == [false, false, true])
        shop.gateway.stop()
        #expect(await shop.run { await self.ids(of: Transaction.currentEntitlements) } == [1])
        #expect(await shop.run { await self.ids(of: Transaction.all) } == [])
    }

    private func ids(of transactions: Transaction.Transactions) async -> [UInt64] {
        var ids: [UInt64] = []
        for await result in transactions { ids.append(result.id) }
        return ids
    }

    @Test func `a session that does not say what to trust is renewed when the store has signed`() async throws {
        let shop = try FakeShop()
        shop.gateway.on(
            "POST /v1/sessions",
            [.session(token: "a", environment: nil), .session(token: "b", environment: nil), .session(token: "c")])
        shop.state.withLock { $0.lists[.entitlements] = [signedTransaction(1)] }
        for expected in [2, 3, 3] {
            #expect(await shop.run { await self.ids(of: Transaction.currentEntitlements) } == [1])
            #expect(shop.gateway.requests("POST /v1/sessions").count == expected)
        }
    }

    @Test func `what has expired is not listed while the store is away`() async throws {
        let shop = try FakeShop()
        let expired = signedTransaction(1, more: ["expiresDate": 1_000])
        shop.state.withLock { $0.lists[.entitlements] = [signedTransaction(2), expired] }
        #expect(await shop.run { await self.ids(of: Transaction.currentEntitlements) } == [2, 1])
        shop.gateway.stop()
        #expect(await shop.run { await self.ids(of: Transaction.currentEntitlements) } == [2])
    }

    @Test func `32: in a cancelled task a list is empty`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.lists[.all] = [signedTransaction(1)] }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await shop.run { await self.ids(of: Transaction.all) }
        }
        task.cancel()
        #expect(await task.value == [])
        #expect(shop.gateway.requests("GET /v1/signed/transactions").isEmpty)
    }

    @Test func `5: finished consumables are listed if the app's connection says so`() async throws {
        let shop = try FakeShop { connection, _ in connection.listsFinishedConsumables = true }
        _ = await shop.run { await self.ids(of: Transaction.all) }
        #expect(
            shop.gateway.requests("GET /v1/signed/transactions").map(\.query) == ["view=all&finishedConsumables=true"])
    }

    @Test func `18, 19, 35: statuses, storefronts and messages come when they change`() async throws {
        let shop = try FakeShop()
        let statuses = await shop.run { shop.collect(Product.SubscriptionInfo.Status.updates) }
        let storefronts = await shop.run { shop.collect(Storefront.updates) }
        let messages = await shop.run { shop.collect(Message.messages) }
        try await eventually("the lists were read") { !shop.gateway.requests("GET /v1/signed/subscriptions").isEmpty }
        shop.stream.send(
            "subscriptionStatus",
            SubscriptionStatusEvent(
                seq: 2, groupID: "g",
                status: .init(
                    state: 3, signedTransaction: signedTransaction(1), signedRenewalInfo: signed(["autoRenewStatus": 1])
                )))
        try await eventually("the status came") {
            statuses.seen.withLock { $0.map(\.state) } == [.inBillingRetryPeriod]
        }
        shop.stream.send(
            "didChangeStorefront",
            StorefrontEvent(seq: 3, storefront: .init(countryCode: "FRA", identifier: "143442", currency: nil)))
        try await eventually("the storefront came") { storefronts.seen.withLock { $0.map(\.countryCode) } == ["FRA"] }
        try await eventually("the customer is told") { messages.seen.withLock { $0.map(\.reason) } == [.billingIssue] }
        for task in [statuses.task, storefronts.task, messages.task] { task.cancel() }
        try await eventually("the stream is closed") { shop.stream.isClosed }
    }

    @Test func `21: the status of who never subscribed is empty, and throws while the store is away`() async throws {
        let shop = try FakeShop()
        #expect(try await shop.run { try await Product.SubscriptionInfo.status(for: "g") } == [])
        shop.gateway.stop()
        await #expect(throws: StoreKitError.self) {
            try await shop.run { _ = try await Product.SubscriptionInfo.status(for: "g") }
        }
        #expect(await shop.run { await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "g") } == false)
    }
}
