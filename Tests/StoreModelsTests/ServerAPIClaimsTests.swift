import StoreModels
import StorebusTesting
import Testing

/// Goal: signed payloads say in Apple's words what the store knows, and leave out what it does not.
@Suite struct ServerAPIClaimsTests {
    private static let start = Timestamp(milliseconds: 1_795_600_000_123)
    private static let sandbox = ServerApp(bundleId: "com.example.app", environment: .sandbox)

    private static func transaction(
        _ type: ProductType = .consumable, price: Money? = nil, _ change: (inout ReceiptItem) -> Void = { _ in }
    ) -> ServerTransaction {
        var item = ReceiptItem(
            transactionIdentifier: "2", originalTransactionIdentifier: "1", productIdentifier: "p", type: type,
            quantity: 1, purchaseDate: start, originalPurchaseDate: start)
        change(&item)
        return ServerTransaction(item: item, price: price, storefront: "USA", reason: .purchase, modifiedSeq: 1)
    }

    private static func claims(_ value: ServerTransaction, of app: ServerApp = sandbox) -> TransactionClaims {
        TransactionClaims(value, of: app, storefrontId: "143441", appTransactionId: "7", signedDate: start)
    }

    /// The names of the members that are written.
    private static func members(_ value: some Encodable) throws -> Set<String> {
        Set((try StrictJSON.parse(StoreJSON.encode(value)).objectValue ?? [:]).keys)
    }

    private static func money(_ amount: String, _ code: String) throws -> Money {
        let currency = try #require(Currency(code: code))
        return try #require(Money(amount: amount, currency: currency))
    }

    // MARK: Transactions

    @Test func `what a purchase does not have is left out, never null`() throws {
        #expect(
            try Self.members(Self.claims(Self.transaction())) == [
                "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate",
                "originalPurchaseDate", "quantity", "type", "inAppOwnershipType", "signedDate", "environment",
                "storefront", "storefrontId", "transactionReason", "appTransactionId",
            ])
    }

    @Test func `prices are thousandths of the currency, however many digits it has`() throws {
        for (amount, code, expected) in [
            ("1.99", "USD", Int64(1990)), ("300", "JPY", 300_000), ("1.234", "KWD", 1234), ("0.00", "USD", 0),
        ] {
            let claims = Self.claims(Self.transaction(price: try Self.money(amount, code)))
            #expect(claims.price == expected)
            #expect(claims.currency == code)
        }
        let usd = try #require(Currency(code: "USD"))
        #expect(Self.claims(Self.transaction(price: Money(minorUnits: .max, currency: usd))).price == nil)
    }

    @Test func `types of product have Apple's names`() {
        let names = ProductType.allCases.map { Self.claims(Self.transaction($0)).type }
        #expect(
            Set(names) == [
                "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription",
            ])
        #expect(names.count == 4)
    }

    @Test(arguments: [
        (AppliedOffer.Kind.introductory, 1, nil), (.subscription, 2, "spring"), (.code, 3, "spring"),
        (.winBack, 4, "spring"),
    ])
    func `offers have Apple's number, and an identifier unless they are introductory`(
        kind: AppliedOffer.Kind, number: Int, identifier: String?
    ) {
        let claims = Self.claims(
            Self.transaction(.autoRenewable) {
                $0.offer = AppliedOffer(
                    type: kind, paymentMode: .freeTrial, identifier: "spring",
                    period: SubscriptionPeriod(numberOfUnits: 2, unit: .week))
            })
        #expect(claims.offerType == number)
        #expect(claims.offerIdentifier == identifier)
        #expect(claims.offerDiscountType == "FREE_TRIAL")
        #expect(claims.offerPeriod == "P2W")
    }

    @Test func `a refund has a date and a number, an upgrade is marked only when it is one`() {
        let refunded = Self.claims(
            Self.transaction {
                $0.cancellationDate = Self.start
                $0.cancellationReason = .other
                $0.isUpgraded = false
            })
        #expect(refunded.revocationDate == Self.start.milliseconds)
        #expect(refunded.revocationReason == 0)
        #expect(refunded.isUpgraded == nil)
        #expect(Self.claims(Self.transaction { $0.isUpgraded = true }).isUpgraded == true)
    }

    // MARK: Renewals

    @Test(arguments: SubscriptionState.allCases, [true, false])
    func `renewal information always has the end of the latest period`(state: SubscriptionState, renews: Bool) {
        let subscription = Subscription(
            originalTransactionIdentifier: "1", subscriptionGroupIdentifier: "g", productIdentifier: "p", state: state,
            willAutoRenew: renews, autoRenewProductIdentifier: "p",
            latest: .init(
                index: 0, start: Self.start, end: Self.start + .seconds(60), transactionID: "t_1",
                transactionIdentifier: "2"))
        let claims = RenewalClaims(
            ServerSubscription(
                subscription: subscription, transaction: Self.transaction(.autoRenewable), recentStart: Self.start),
            environment: .sandbox, appTransactionId: "7", signedDate: Self.start + .seconds(3_600))
        #expect(claims.renewalDate == Self.start.milliseconds + 60_000)
    }

    @Test func `a payment of a commitment has Apple's members, and no other purchase has`() throws {
        let (none, start) = (Self.claims(Self.transaction(.autoRenewable) { _ in }), Self.start)
        #expect(none.billingPlanType == nil && none.commitmentInfo == nil)
        let price = Money(minorUnits: 5_988, currency: try #require(Currency(code: "EUR")))
        let commitment = Commitment(billingPeriodNumber: 3, totalBillingPeriods: 12, price: price, expiresDate: start)
        let claims = Self.claims(
            Self.transaction(.autoRenewable) { ($0.billingPlanType, $0.commitment) = (.monthly, commitment) })
        let json = try StrictJSON.parse(try StoreJSON.encode(claims))
        #expect(json["billingPlanType"] == "MONTHLY")
        #expect(
            json["commitmentInfo"]
                == .object([
                    "billingPeriodNumber": 3, "totalBillingPeriods": 12, "commitmentPrice": 59_880,
                    "commitmentExpiresDate": .integer(Int(start.milliseconds)),
                ]))
    }

    @Test func `renewal information has what follows the commitment`() throws {
        let price = Money(minorUnits: 5_988, currency: try #require(Currency(code: "EUR")))
        var subscription = Subscription(
            originalTransactionIdentifier: "1", subscriptionGroupIdentifier: "g", productIdentifier: "p",
            state: .subscribed, willAutoRenew: true, autoRenewProductIdentifier: "p",
            latest: .init(
                index: 0, start: Self.start, end: Self.start + .seconds(60), transactionID: "t_1",
                transactionIdentifier: "2"))
        (subscription.billingPlanType, subscription.renewalBillingPlanType) = (.monthly, .monthly)
        subscription.commitmentRenewal = CommitmentRenewal(
            willAutoRenew: false, autoRenewProductIdentifier: "q", billingPlanType: .upFront, renewalDate: Self.start,
            renewalPrice: price)
        let claims = RenewalClaims(
            ServerSubscription(
                subscription: subscription, transaction: Self.transaction(.autoRenewable), recentStart: Self.start),
            environment: .sandbox, appTransactionId: "7", signedDate: Self.start)
        let json = try StrictJSON.parse(try StoreJSON.encode(claims))
        #expect(json["renewalBillingPlanType"] == "MONTHLY" && json["autoRenewStatus"] == 1)
        #expect(
            json["commitmentInfo"]
                == .object([
                    "commitmentAutoRenewProductId": "q", "commitmentAutoRenewStatus": 0,
                    "commitmentRenewalBillingPlanType": "BILLED_UPFRONT", "commitmentRenewalPrice": 59_880,
                    "commitmentRenewalDate": .integer(Int(Self.start.milliseconds)),
                ]))
    }

    // MARK: Tokens

    @Test(arguments: [
        ("7A0C6B0E-1111-4222-8333-44445555666F", "7a0c6b0e-1111-4222-8333-44445555666f"), ("alice", nil), ("", nil),
        ("7A0C6B0E111142228333444455556666", nil), ("7A0C6B0E-1111-4222-8333-44445555666G", nil),
    ])
    func `a token is a UUID in lower case`(text: String, token: String?) {
        #expect(AppAccountToken(text)?.text == token)
        let payment = Payment(requestIdentifier: "k", productIdentifier: "p", applicationUsername: text)
        #expect(payment.withAccountToken.appAccountToken == token)
        #expect(with(payment) { $0.appAccountToken = text }.withAccountToken.appAccountToken == token ?? text)
    }

    // MARK: Apps

    @Test func `only an app transaction of production has the app's number`() throws {
        let lookup = TransactionLookupReply(
            customerIdentifier: "c", appTransactionIdentifier: "7000000000000000001", firstSeen: Self.start,
            businessNow: Self.start + .seconds(1))
        for environment in AppStoreEnvironment.allCases {
            let claims = AppTransactionClaims(
                lookup, of: ServerApp(bundleId: "b", environment: environment, appAppleId: 5), applicationVersion: "2",
                originalApplicationVersion: "1.0")
            #expect(claims.receiptType == environment.rawValue)
            #expect((claims.appAppleId == 5) == (environment == .production))
            #expect(claims.receiptCreationDate == Self.start.milliseconds + 1000)
            #expect(claims.originalPurchaseDate == Self.start.milliseconds)
        }
    }

    // MARK: Orders

    @Test func `each transaction has one order, which leads back to it`() {
        var random = SplitMix64(seed: 16)
        var numbers: [Int64] = [1, 31, 32, 2_000_000_000_000_001, .max]
        for _ in 0..<1000 { numbers.append(Int64.random(in: 1 ... .max, using: &random)) }
        for number in numbers {
            let order = OrderIdentifier.order(of: "\(number)")
            #expect(order?.first == "M")
            #expect(order.flatMap(OrderIdentifier.transaction) == "\(number)", "seed 16, \(number)")
        }
        #expect(OrderIdentifier.order(of: "2000000000000001") == "M1RTZN4RT001")
    }

    @Test(arguments: [
        "", "M", "M0", "M01RTZN4RT001", "MI", "MU", "m1", "M1RTZN4RT00l", "MZZZZZZZZZZZZZ", "M10000000000000", "1",
        "M-1", "M 1",
    ])
    func `any other text is the order of nothing`(text: String) {
        #expect(OrderIdentifier.transaction(of: text) == nil)
    }

    @Test(arguments: ["", "0", "-1", "x", "9223372036854775808", "1.5"])
    func `any other text has no order`(text: String) {
        #expect(OrderIdentifier.order(of: text) == nil)
    }
}
