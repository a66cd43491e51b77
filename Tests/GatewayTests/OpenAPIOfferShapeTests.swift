import Signing
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// The schemas of offers, eligibility and receipts are what is written.
@Suite struct OpenAPIOfferShapeTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func members(_ schema: JSONValue?) throws -> Set<String> {
        let schema = try #require(schema.flatMap(document.resolved))
        return Set((schema["properties"]?.objectValue ?? [:]).keys)
    }

    private func members(_ schema: String) throws -> Set<String> { try members(document.schema(schema)) }

    private func written(_ value: some Encodable) throws -> Set<String> {
        names(try StrictJSON.parse(try StoreJSON.encode(value)))
    }

    private func names(_ value: JSONValue?) -> Set<String> { Set((value?.objectValue ?? [:]).keys) }

    @Test func `offers have the members the models write and read`() throws {
        let applied = AppliedOffer(
            type: .winBack, paymentMode: .freeTrial, identifier: "o",
            period: SubscriptionPeriod(numberOfUnits: 1, unit: .month))
        #expect(try members("AppliedOffer") == written(applied))
        let discount = PaymentDiscount(identifier: "i", keyIdentifier: "k", nonce: "n", signature: "s", timestamp: 1)
        #expect(try members("PaymentDiscount") == written(discount))
        #expect(try members("PaymentDiscount") == known(DiscountParts.self))
        let offered = Sample.winBackOffer
        #expect(try members("RedeemableOffer") == written(offered))
        let winBack = document.schema("RedeemableOffer")?["properties"]?["winBack"]
        #expect(try members(winBack) == written(offered.winBack))
        let offers = ProductOffers(
            productIdentifier: "p", storefront: "USA", introductoryPrice: offered.offer, discounts: [],
            redeemableOffers: [])
        #expect(try members("ProductOffers") == written(offers))
        let redeemed = try #require(document.schema("RedeemedOffer")?["oneOf"]?.arrayValue)
        #expect(try members(redeemed.first) == written(RedeemedOffer(type: .introductory)))
        #expect(try members(redeemed.last) == written(RedeemedOffer(type: .code, identifier: "o")))
        #expect(known(RedeemedOffer.self, #"{"type":"code"}"#) == (try members(redeemed.last)))
    }

    @Test func `eligibility has the members the models write`() throws {
        let one = ProductEligibility(
            productIdentifier: "p", subscriptionGroupIdentifier: "g", eligibility: .ineligible, rule: .newSubscriber,
            transactionIdentifier: "1", usedProductIdentifier: "q")
        #expect(try members("Eligibility") == written(EligibilityReply(eligibility: [one], degraded: [])))
        #expect(try members(document.schema("Eligibility")?["properties"]?["eligibility"]?["items"]) == written(one))
        let refused = document.root["components"]?["responses"]?["ReceiptInvalid"]?["content"]
        let parts = refused?["application/problem+json"]?["schema"]?["allOf"]?.arrayValue
        let reasons = parts?.last?["properties"]?["reason"]?["enum"]?.arrayValue?.compactMap(\.stringValue)
        #expect(reasons == ReceiptError.allCases.map(\.rawValue))
    }

    @Test func `every member of a verified receipt is documented`() throws {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        var item = with(
            ReceiptItem(
                transactionIdentifier: "2", originalTransactionIdentifier: "1", productIdentifier: "p",
                type: .autoRenewable, quantity: 1, purchaseDate: now, originalPurchaseDate: now, expiresDate: now,
                subscriptionGroupIdentifier: "g")
        ) {
            $0.webOrderLineItemIdentifier = "3"
            $0.isTrialPeriod = true
            $0.isInIntroOfferPeriod = true
            $0.isUpgraded = true
            $0.cancellationDate = now
            $0.cancellationReason = .appIssue
            $0.offer = AppliedOffer(type: .subscription, paymentMode: .payUpFront, identifier: "o")
            $0.appAccountToken = "a"
        }
        var purchase = names(PurchaseFields.latest(item))
        item.offer?.type = .code
        purchase.formUnion(names(PurchaseFields.latest(item)))
        #expect(try members("ReceiptPurchase") == purchase)
        var subscription = Sample.subscription
        subscription.state = .inGracePeriod
        subscription.gracePeriodExpiresDate = now
        subscription.expirationReason = .billingError
        let price = Sample.pro.price
        subscription.priceIncrease = PriceIncrease(status: .pending, price: price, formerPrice: price)
        var renewal: Set<String> = []
        for type in [AppliedOffer.Kind.subscription, .code] {
            subscription.offer = AppliedOffer(type: type, paymentMode: .freeTrial, identifier: "o")
            renewal.formUnion(names(RenewalFields.json(subscription)))
        }
        #expect(try members("ReceiptRenewal") == renewal)
    }

    @Test func `verifyReceipt's statuses are those it answers with`() throws {
        let documented = document.schema("VerifiedReceipt")?["properties"]?["status"]?["enum"]?.arrayValue ?? []
        // 21000 is for requests that are no POST.
        let answered = [0] + VerifyReceiptStatus.allCases.filter { $0 != .notPost }.map(\.rawValue)
        #expect(documented.compactMap(\.intValue) == answered)
    }
}
