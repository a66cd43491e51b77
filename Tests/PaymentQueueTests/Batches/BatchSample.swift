import StoreModels

@testable import PaymentQueue

/// Customers, commands and charges without a database.
enum BatchSample {
    static let bundleId = "com.example.app"
    static let wall = Timestamp(milliseconds: 1_795_000_000_000)
    static let coins = Product.product("coins", .consumable, "0.99")

    static func customer(_ account: String = "alice", of bundleId: String = BatchSample.bundleId) -> CustomerReference {
        CustomerReference(bundleId: bundleId, customerIdentifier: "c_\(account)")
    }

    /// The state of a customer as a batch reads it.
    /// - Parameter unfinished: The number of unfinished transactions, if a command of the batch needs it.
    static func state(
        _ customer: CustomerReference = BatchSample.customer(), headSeq: Int64 = 0, modifiedSeq: Int64 = 0,
        storefront: String = "USA", settings: TesterSettings = TesterSettings(),
        clock: AppClock = .started(at: BatchSample.wall),
        unfinished: Int? = nil
    ) -> CustomerState {
        var state = CustomerState(
            account: Customer(
                id: customer, account: "alice", storefront: storefront, headSeq: headSeq, prunedSeq: 0,
                modifiedSeq: modifiedSeq, appTransaction: 7), clock: clock, settings: settings)
        state.unfinishedCount = unfinished
        return state
    }

    static func quote(
        _ product: Product = BatchSample.coins, limit: Int? = nil, defaults: TesterSettings? = nil,
        availability: Quote.Availability = .available
    ) -> Quote {
        Quote(
            catalogVersion: 1, availability: availability, product: product, unfinishedLimit: limit,
            testerDefaults: defaults)
    }

    /// A purchase that the processor has authorized or declined.
    /// - Parameters:
    ///   - authorized: The amount of the charge. Nil for the price of the quote.
    ///   - storefront: The storefront that the quote is for.
    static func command(
        _ customer: CustomerReference = BatchSample.customer(), key: String, quote: Quote = BatchSample.quote(),
        quantity: Int = 1,
        outcome: Charge.Outcome = .authorized, authorized: Money? = nil, in storefront: String = "USA"
    ) throws -> PurchaseCommand {
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: wall, random: &random)
        let product = quote.product ?? coins
        let payment = Payment(
            requestIdentifier: key, productIdentifier: product.productIdentifier, quantity: quantity)
        guard let amount = authorized ?? product.price.times(quantity),
            let authorization = PurchaseAuthorization(
                id: id, amount: amount, charge(StoredTransaction.chargeKey(of: id), amount, outcome))
        else { throw StoreError(.internal, "the sample has no such authorization") }
        return PurchaseCommand(
            customer: customer,
            purchase: NewPurchase(
                id: id, payment: payment, deviceId: "phone", quote: quote,
                fingerprint: RequestFingerprint.of(payment)),
            storefront: storefront, authorization: authorization, deadline: .now + .seconds(60))
    }

    static func charge(_ key: String, _ amount: Money?, _ outcome: Charge.Outcome) -> Charge {
        Charge(
            chargeKey: key, chargeIdentifier: "1", outcome: outcome, amount: amount,
            declineReason: outcome == .declined ? "No money." : nil, createdAt: wall)
    }

    /// Numbers for the transactions of an app, growing by one.
    static func numbers(
        from first: Int64, count: Int = 100, of bundleId: String = BatchSample.bundleId
    ) -> TransactionNumbers {
        TransactionNumbers(Array(first..<first + Int64(count)), of: bundleId)
    }
}

extension PurchaseCommand.Outcome {
    /// The commit of a purchase that was sold, or that has failed.
    var written: CustomerTransaction.Committed<StoredTransaction>? {
        if case .sold(let written) = self { written } else { nil }
    }

    var existing: StoredPayment? { if case .existing(let payment) = self { payment } else { nil } }

    /// The customer's storefront, if it is another one than the quote's.
    var storefront: String? { if case .moved(let storefront) = self { storefront } else { nil } }

    var isOtherTerms: Bool { if case .otherTerms = self { true } else { false } }
}
