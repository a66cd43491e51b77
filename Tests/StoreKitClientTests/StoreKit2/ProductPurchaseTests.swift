import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

private typealias Product = StoreKitClient.Product

/// Goal: each outcome of the store is StoreKit's, and nothing is asked for twice.
@Suite struct ProductPurchaseTests {
    private func bought(
        _ shop: FakeShop, _ options: Set<Product.PurchaseOption> = [], type: StoreModels.ProductType = .consumable
    ) async throws -> String {
        switch try await shop.product(type: type).purchase(options: options) {
        case .success(let result): "\(result.id)"
        case .userCancelled: "cancelled"
        case .pending: "pending"
        @unknown default: "unknown"
        }
    }

    private func error(
        _ shop: FakeShop, _ options: Set<Product.PurchaseOption> = []
    ) async -> String {
        do {
            return try await bought(shop, options)
        } catch {
            return "\(type(of: error)).\(error)"
        }
    }

    @Test func `7, 23, 24, 26, 27: outcomes are results`() async throws {
        let shop = try FakeShop()
        shop.state.withLock {
            $0.purchases = [
                FakeShop.outcome(.purchased, signedTransaction(1)), FakeShop.outcome(.held, signedTransaction(2)),
                FakeShop.outcome(.pending), FakeShop.outcome(.cancelled),
            ]
        }
        for expected in ["1", "2", "pending", "cancelled"] { #expect(try await bought(shop) == expected) }
        let requests = shop.gateway.requests("POST /v1/purchases")
        #expect(Set(requests.map(\.key)).count == 4)
        try await eventually("the stream is closed") { shop.stream.isClosed }
    }

    @Test func `a purchase without an outcome waits for the stream, and asks again with its key`() async throws {
        let shop = try FakeShop()
        shop.state.withLock {
            $0.purchases = [FakeShop.outcome(.purchasing), FakeShop.outcome(.purchased, signedTransaction(1))]
        }
        let updates = await shop.run { shop.collect(Transaction.updates) }
        async let id = bought(shop)
        try await eventually("it was asked for") { shop.gateway.requests("POST /v1/purchases").count >= 1 }
        let key = try #require(shop.gateway.requests("POST /v1/purchases").first?.key)
        shop.tell(signedTransaction(1), .purchase, key: key)
        #expect(try await id == "1")
        #expect(Set(shop.gateway.requests("POST /v1/purchases").map(\.key)) == [key])
        shop.tell(signedTransaction(2), .outside)
        try await eventually("only the other one is an update") { updates.seen.withLock { $0.map(\.id) } == [2] }
        updates.task.cancel()
    }

    @Test func `8, 27, 28: a purchase that returned no transaction is an update, in a list or an event`() async throws {
        let shop = try FakeShop()
        let second = FakeStream()
        shop.gateway.on("GET /v1/transactions/stream", [.stream(shop.stream), .stream(second)])
        let updates = await shop.run { shop.collect(Transaction.updates) }
        // The answer of the second is not understood.
        let answers = [FakeShop.outcome(.pending), FakeShop.outcome(.purchased)]
        shop.state.withLock { $0.purchases = answers }
        #expect(try await bought(shop) == "pending")
        #expect(await error(shop) == "StoreKitError.unknown")
        let keys = shop.gateway.requests("POST /v1/purchases").compactMap(\.key)
        shop.tell(signedTransaction(2), .purchase, key: keys[1])
        try await eventually("the second came") { updates.seen.withLock { $0.map(\.id) } == [2] }
        // The first is approved while the stream is down.
        shop.state.withLock { state in
            state.seq += 1
            state.lists[.unfinished]?.insert(signedTransaction(1), at: 0)
        }
        var model = PaymentTransaction.sample("t1", key: keys[0])
        model.transactionIdentifier = "1"
        second.updated([model])
        second.send("synchronized", ["seq": 3])
        shop.stream.end()
        try await eventually("the first came") { updates.seen.withLock { $0.map(\.id) } == [2, 1] }
        updates.task.cancel()
    }

    @Test func `a purchase whose stream a newer launch takes asks again`() async throws {
        let shop = try FakeShop(FakeStream())
        shop.state.withLock {
            $0.purchases = [FakeShop.outcome(.purchasing), FakeShop.outcome(.purchased, signedTransaction(1))]
        }
        async let id = bought(shop)
        try await eventually("it waits") {
            shop.queue.core.state.withLock { $0.purchases.values.contains { $0.waiter != nil } }
        }
        shop.stream.send("superseded", ["seq": 1])
        #expect(try await id == "1")
    }

    @Test func `a purchase without news asks again after a time`() async throws {
        let shop = try FakeShop(FakeStream()) { _, timing in timing.requestTimeout = .seconds(1) }
        shop.state.withLock {
            $0.purchases = [FakeShop.outcome(.purchasing), FakeShop.outcome(.purchased, signedTransaction(1))]
        }
        #expect(try await bought(shop) == "1")
    }

    @Test func `a purchase that failed on the stream fails`() async throws {
        let shop = try FakeShop()
        let failure = FakeShop.outcome(.failed, error: TransactionError(.paymentNotAllowed, "no"))
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.purchasing), failure] }
        async let outcome = error(shop)
        try await eventually("it was asked for") { shop.gateway.requests("POST /v1/purchases").count >= 1 }
        let key = try #require(shop.gateway.requests("POST /v1/purchases").first?.key)
        shop.stream.updated([.sample("t1", .failed, key: key)])
        #expect(await outcome == "PurchaseError.purchaseNotAllowed")
    }

    @Test func `a cancelled task still has the outcome`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.purchased, signedTransaction(1))] }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await bought(shop)
        }
        task.cancel()
        #expect(try await task.value == "1")
    }

    @Test func `a lost answer is asked for with the same key`() async throws {
        let shop = try FakeShop()
        shop.state.withLock { $0.purchases = [.drop, FakeShop.outcome(.purchased, signedTransaction(1))] }
        #expect(try await bought(shop) == "1")
        let keys = shop.gateway.requests("POST /v1/purchases").map(\.key)
        #expect(keys.count == 2 && Set(keys).count == 1)
    }

    @Test func `a store that cannot be reached is a network error`() async throws {
        let shop = try FakeShop()
        _ = try await shop.run { try await shop.queue.core.sessions.session() }
        shop.gateway.stop()
        #expect(await error(shop).hasPrefix("StoreKitError.networkError"))
    }

    @Test(arguments: StoreModels.SKErrorCode.allCases)
    func `each error of the store has its result`(_ code: StoreModels.SKErrorCode) async throws {
        let expected =
            switch code {
            case .unknown: "StoreKitError.unknown"
            case .clientInvalid, .paymentNotAllowed: "PurchaseError.purchaseNotAllowed"
            case .paymentCancelled: "cancelled"
            case .storeProductNotAvailable: "PurchaseError.productUnavailable"
            case .invalidOfferIdentifier: "PurchaseError.invalidOfferIdentifier"
            case .invalidSignature: "PurchaseError.invalidOfferSignature"
            case .missingOfferParams: "PurchaseError.missingOfferParameters"
            case .invalidOfferPrice: "PurchaseError.invalidOfferPrice"
            case .ineligibleForOffer: "PurchaseError.ineligibleForOffer"
            case .unsupportedPlatform: "StoreKitError.unsupported"
            case .paymentInvalid, .cloudServicePermissionDenied, .cloudServiceNetworkConnectionFailed,
                .cloudServiceRevoked,
                .privacyAcknowledgementRequired, .unauthorizedRequestData, .overlayCancelled,
                .overlayInvalidConfiguration, .overlayTimeout, .overlayPresentedInBackgroundScene:
                "StoreKitError.systemError"
            }
        let shop = try FakeShop()
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.failed, error: TransactionError(code, "no"))] }
        #expect(await error(shop).hasPrefix(expected))
    }

    @Test func `30: a signed offer of an unknown key is unknown, another fault is the signature's`() async throws {
        let shop = try FakeShop()
        let offer = Set(Product.PurchaseOption.promotionalOffer("summer", compactJWS: "a.b.c"))
        for (reason, expected) in [
            ("keyUnknown", "StoreKitError.unknown"), ("invalidSignature", "PurchaseError.invalidOfferSignature"),
        ] {
            let failure = TransactionError(.invalidSignature, "no", reason: reason)
            shop.state.withLock { $0.purchases = [FakeShop.outcome(.failed, error: failure)] }
            #expect(await error(shop, offer) == expected)
        }
        let sent = shop.gateway.requests("POST /v1/purchases").first?.json["offer"]?["promotional"]
        #expect(sent == .object(["identifier": "summer", "jws": "a.b.c"]))
    }

    @Test func `options are members of the request`() throws {
        let token = UUID()
        let nonce = UUID()
        let product = try StoreModels.Product.sample("p")
        func request(_ options: Set<Product.PurchaseOption>) throws -> PaymentRequest {
            var product = product
            product.type = .consumable
            return try PurchaseOrder(product, options).request
        }
        let all = try request([
            .appAccountToken(token), .quantity(3), .simulatesAskToBuyInSandbox(true), .billingPlanType(.upFront),
            .custom(key: "a", value: 1), .custom(key: "b", value: "x"), .introductoryOfferEligibility(compactJWS: "j"),
            .promotionalOffer(offerID: "o", keyID: "k", nonce: nonce, signature: Data([1]), timestamp: 7),
        ])
        #expect(all.appAccountToken == token.uuidString.lowercased() && all.quantity?.value.number == 3)
        #expect(all.simulatesAskToBuyInSandbox == true && all.introductoryEligibility == "j")
        #expect(all.intentIdentifier == nil && all.offer == nil)
        #expect(all.paymentDiscount?.nonce == nonce.uuidString.lowercased() && all.paymentDiscount?.signature == "AQ==")
        #expect(all.billingPlanType == nil)
        #expect(try request([.billingPlanType(.monthly)]).billingPlanType == .monthly)
        #expect(try request([]) == PaymentRequest(productIdentifier: "p"))
    }

    @Test func `38: an order continues an intent with its payment, and departing from it is another purchase`() throws {
        let discount = PaymentDiscount(
            identifier: "o", keyIdentifier: "k", nonce: UUID().uuidString.lowercased(), signature: "AQ==", timestamp: 7)
        var intent = try StorePurchaseIntent.sample("i1")
        (intent.payment.quantity, intent.payment.paymentDiscount) = (3, discount)
        var product = intent.product
        product.type = .consumable
        func request(_ options: Set<Product.PurchaseOption> = []) throws -> PaymentRequest {
            try PurchaseOrder(product, continues: intent, options).request
        }
        for options: Set<Product.PurchaseOption> in [[], [.quantity(3)], [.appAccountToken(UUID())]] {
            let own = try request(options)
            #expect(own.intentIdentifier == "i1" && own.quantity?.value.number == 3)
            #expect(own.paymentDiscount == DiscountParts(discount))
        }
        for options: Set<Product.PurchaseOption> in [
            [.quantity(1)], [.introductoryOfferEligibility(compactJWS: "j")], [.billingPlanType(.monthly)],
            Set(Product.PurchaseOption.promotionalOffer("a", compactJWS: "a")),
            [.promotionalOffer(offerID: "o", keyID: "k", nonce: UUID(), signature: Data([1]), timestamp: 7)],
        ] { #expect(try request(options).intentIdentifier == nil) }
    }

    @Test(arguments: [0, 11, -1, 2])
    func `a quantity that cannot be bought is refused here`(_ quantity: Int) async throws {
        let shop = try FakeShop()
        let type: StoreModels.ProductType = quantity == 2 ? .autoRenewable : .consumable
        await #expect(throws: Product.PurchaseError.invalidQuantity) {
            _ = try await bought(shop, [.quantity(quantity)], type: type)
        }
        #expect(shop.gateway.requests("POST /v1/purchases").isEmpty)
    }

    @Test func `two options of one kind are no purchase, nor is what the store does not sell`() throws {
        var model = try StoreModels.Product.sample("p")
        model.type = .consumable
        let product = model
        func fault(_ options: Set<Product.PurchaseOption>) -> String? {
            do {
                _ = try PurchaseOrder(product, options)
                return nil
            } catch {
                return "\(error)"
            }
        }
        for options: Set<Product.PurchaseOption> in [
            [.quantity(1), .quantity(2)], [.custom(key: "a", value: true), .custom(key: "a", value: false)],
            Set(Product.PurchaseOption.promotionalOffer("a", compactJWS: "a")).union(
                Product.PurchaseOption.promotionalOffer("b", compactJWS: "b")),
        ] {
            #expect(fault(options) == "unknown")
        }
        for option: Product.PurchaseOption in [
            .seats(2), .billingPlanType(.init(rawValue: "WEEKLY")), .custom(key: "advancedCommerceData", value: Data()),
        ] { #expect(fault([option]) == "unsupported") }
        let offer = try #require(try StoreModels.Product.subscription(.freeTrial).introductoryPrice)
        #expect(fault([.winBackOffer(.init(offer, .introductory))]) == "invalidOfferIdentifier")
        #expect(fault([.winBackOffer(.init(offer, .winBack))]) == "invalidOfferIdentifier")
    }

    @Test(arguments: [PurchaseResponse.Outcome.purchased, .cancelled, .pending])
    func `38: a product of an intent continues it once`(_ outcome: PurchaseResponse.Outcome) async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        store.gateway.on("POST /v1/purchases") { _ in FakeShop.outcome(outcome, signedTransaction(1)) }
        store.gateway.on("GET /v1/signed/transactions") { _ in
            .json(SignedTransactionsPage(seq: 1, revision: "r", signedTransactions: []))
        }
        store.gateway.on("GET /v1/signed/subscriptions") { _ in .json(SignedSubscriptionsResponse(seq: 1, groups: [])) }
        store.tap(try .sample("i1"))
        for await intent in PurchaseIntent.intents(of: queue) {
            #expect(intent.id == intent.product.id && intent.offer == nil)
            for _ in 0..<2 { _ = try await intent.product.purchase() }
            break
        }
        #expect(store.gateway.requests("POST /v1/purchases").map { $0.json["intentIdentifier"] } == ["i1", nil])
        #expect(store.decisions().isEmpty)
    }

    @Test func `38: an intent has the win-back offer, and buying with it or without continues the intent`() throws {
        var product = try StoreModels.Product.subscription(.freeTrial)
        var (offer, other) = (try #require(product.introductoryPrice), try #require(product.introductoryPrice))
        (offer.identifier, other.identifier) = ("back", "again")
        product.winBackOffers = [offer, other]
        var model = try StorePurchaseIntent.sample("i1", product: product.productIdentifier)
        (model.product, model.offer) = (product, "back")
        let intent = PurchaseIntent(model, try FakeShop().queue)
        #expect(intent.offer?.id == "back" && intent.offer?.type == .winBack)
        func order(_ options: Set<Product.PurchaseOption>) throws -> PaymentRequest {
            try PurchaseOrder(product, continues: model, options).request
        }
        #expect(try order([]).intentIdentifier == "i1")
        #expect(try order([.winBackOffer(.init(offer, .winBack))]).intentIdentifier == "i1")
        #expect(try order([.winBackOffer(.init(offer, .winBack))]).offer == PurchaseOffer(winBack: "back"))
        #expect(try order([.winBackOffer(.init(other, .winBack))]).intentIdentifier == nil, "another purchase")
    }

    @Test(arguments: [StoreErrorCode.intentDecided, .intentExpired])
    func `38: an intent that was decided elsewhere, or has expired, is left out the next time`(
        _ code: StoreErrorCode
    ) async throws {
        let shop = try FakeShop()
        let product = PurchaseIntent(try .sample("i1"), shop.queue).product
        shop.state.withLock {
            $0.purchases = [.problem(code), FakeShop.outcome(.purchased, signedTransaction(1))]
        }
        await #expect(throws: StoreKitError.self) { _ = try await product.purchase() }
        _ = try await product.purchase()
        #expect(shop.gateway.requests("POST /v1/purchases").map { $0.json["intentIdentifier"] } == ["i1", nil])
    }

    @Test func `12: a purchase without an iterator of updates warns, once`() async throws {
        let sentences = LockedValue<[String]>([])
        let shop = try FakeShop { connection, _ in
            connection.log = { sentence in sentences.withLock { $0.append(sentence) } }
        }
        let warning = "Making a purchase without listening for transaction updates"
        func count() -> Int { sentences.withLock { $0.count { $0.hasPrefix(warning) } } }
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.cancelled)] }
        let updates = await shop.run { shop.collect(Transaction.updates) }
        try await eventually("it listens") { shop.queue.core.state.withLock { !$0.listeners.updates.isEmpty } }
        _ = try await bought(shop)
        #expect(count() == 0)
        updates.task.cancel()
        await updates.task.value
        for _ in 0..<2 { _ = try await bought(shop) }
        #expect(count() == 1)
    }

    @Test func `a transaction is finished and refunded by the queue that it comes from`() async throws {
        let (own, other) = (try FakeShop(), try FakeShop())
        let list = [signedTransaction(1, more: ["subscriptionGroupIdentifier": "g"])]
        own.state.withLock { $0.lists[.unfinished] = list }
        own.gateway.on("POST /v1/transactions/*/refund-request") { _ in
            .json(["refundRequestIdentifier": "r1"], status: 201)
        }
        let transaction = try #require(await own.run { await Transaction.unfinished.first { _ in true } })
        try await other.run {
            await transaction.unsafePayloadValue.finish()
            let status = try await transaction.unsafePayloadValue.beginRefundRequest(in: FakeGatewayAnchor())
            #expect(status == .success)
            _ = await transaction.unsafePayloadValue.subscriptionStatus
        }
        for request in ["finish", "refund-request"] {
            #expect(own.gateway.requests("POST /v1/transactions/1/\(request)").count == 1)
        }
        #expect(other.gateway.requests("POST /v1/sessions").isEmpty)
    }

    @Test func `a transaction does not keep its queue, and without it asks nothing`() async throws {
        var shop: FakeShop? = try FakeShop()
        shop?.state.withLock { $0.lists[.unfinished] = [signedTransaction(1)] }
        let result = await shop?.run { await Transaction.unfinished.first { _ in true } }
        let transaction = try #require(result ?? nil).unsafePayloadValue
        weak let queue = shop?.queue
        shop = nil
        try await eventually("the queue is released") { queue == nil }
        await transaction.finish()
        await #expect(throws: StoreKit2Transaction.RefundRequestError.failed) {
            _ = try await transaction.beginRefundRequest(in: FakeGatewayAnchor())
        }
    }

    @Test func `a refund is requested once, and a refusal says why`() async throws {
        let shop = try FakeShop()
        var open: [String: JSONValue] = ["status": 409, "code": "transactionStateInvalid", "detail": "open"]
        shop.gateway.on(
            "POST /v1/transactions/*/refund-request",
            [
                .json(["refundRequestIdentifier": "r1"], status: 201), .json(open, status: 409),
                .problem(.transactionStateInvalid, "refunded", status: 409), .problem(.notFound),
            ])
        open["refundRequestIdentifier"] = "r1"
        let anchor = FakeGatewayAnchor()
        func request() async -> String {
            await shop.run {
                do {
                    return "\(try await StoreKit2Transaction.beginRefundRequest(for: 7, in: anchor))"
                } catch {
                    return "\(error)"
                }
            }
        }
        for expected in ["success", "ineligible", "ineligible", "failed"] { #expect(await request() == expected) }
        shop.gateway.on("POST /v1/transactions/*/refund-request", [.json(open, status: 409)])
        #expect(await request() == "duplicateRequest")
        shop.gateway.on("POST /v1/transactions/*/refund-request", [.drop])
        #expect(await request().hasPrefix("networkError"))
        #expect(shop.gateway.requests("POST /v1/transactions/7/refund-request").count == 6)
    }
}

/// The anchor of a sheet that is not shown.
private final class FakeGatewayAnchor: Sendable {}
private typealias StoreKit2Transaction = StoreKitClient.Transaction
