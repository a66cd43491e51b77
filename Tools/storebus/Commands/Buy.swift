import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus buy PRODUCT --as alice`
struct BuyCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "buy", "Buy a product as an account's app would.",
        """
        storebus buy com.example.pro.monthly --as alice
        storebus buy com.example.fishingHotSpots --as bob --quantity 3 --storefront FRA
        storebus buy com.example.pro.monthly --as carol --outcome ask-to-buy
        storebus buy com.example.pro.monthly --as carol --outcome fail:paymentInvalid
        storebus buy com.example.pro.monthly --as carol --offer winback:back.free.month

        The purchase has one idempotency key, made up unless you give one. While the store cannot say how it \
        ended, the command asks again with the same key, which cannot charge twice, for 30s unless --timeout says \
        otherwise. The account's settings decide how the payment sheet ends: storebus account set.

        --outcome decides this one purchase. approve charges it, decline has the processor refuse it, and cancel \
        dismisses the sheet. ask-to-buy waits for storebus approve or decline, and interrupted for storebus \
        resolve. fail:CODE fails with the SKError of that name or number. With timeout the processor charges and \
        its answer is lost. With pending it takes two seconds to answer. The command changes the account's \
        settings for the purchase and restores them afterwards, also on failure or Ctrl-C. Do not use it for \
        purchases of one account side by side.

        Every eligible account gets the introductory offer, and --offer intro buys nothing for any other. This \
        command signs --offer promo:ID as the app's server would, with the key in --offer-key: PEM with \
        --offer-key-id, or the output of storebus key create --kind subscriptionOffer -o json. --offer code:ID \
        and winback:ID are redeemed outside the app, as in the App Store.

        --plan monthly buys a subscription of a year in monthly payments, if the catalogue's file has that plan. It is \
        sold in every storefront but USA and SGP, and has no offers.

        --intent adds the payment that an app saved when it deferred a purchase begun in the store. The payment \
        keeps the product and quantity of that purchase and is made once.
        """)

    @Argument("The product's identifier.", "product", Completion.products) var product: String
    @Option("How many, 1 to 10. More than 1 only of consumables and non-renewing subscriptions.", "n") var quantity = 1
    @Option(
        "How this purchase ends: \(OutcomeOption.words.joined(separator: ", ")).", "outcome",
        .list(OutcomeOption.words.map { $0 == "fail:CODE" ? "fail:" : $0 }))
    var outcome: String?
    @Option(
        "With this offer: \(OfferOption.words.joined(separator: ", ")).", "offer",
        .list(["intro", "promo:", "code:", "winback:"]))
    var offer: String?
    @Option("The private key that signs a promotional offer.", "file", .file()) var offerKey: String?
    @Option("The key's identifier, when its file does not have it.", "id") var offerKeyId: String?
    @Option(
        "How a subscription is paid: \(PlanOption.words.joined(separator: ", ")).", "plan", .list(PlanOption.words))
    var plan: String?
    @Option("The saved payment of this intent, or the end of its identifier.", "intent", Completion.intents)
    var intent: String?
    @Option("The same key again gives the same purchase.", "key") var idempotencyKey: String?
    @Option("The country of a new account, three letters.", "country") var storefront: String?
    @Option("Recorded with the payment.", "name") var applicationUsername: String?
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try OutcomeOption.validate("--outcome", outcome)
        try OfferOption.validate(offer, hasKey: offerKey != nil)
        if intent != nil, offer.flatMap(OfferOption.init)?.redeemed != nil {
            throw ValidationError("--intent adds a saved payment, which has its own offer")
        }
        if let plan { try Choice.check("--plan", plan, among: PlanOption.words) }
        if plan == PlanOption.monthly, intent != nil || offer != nil {
            throw ValidationError("--plan monthly has no offers, and --intent adds a saved payment, which has no plan")
        }
    }

    func run(_ context: CommandContext) async throws {
        let purchase = Purchase(
            productIdentifier: product, quantity: quantity, applicationUsername: applicationUsername,
            key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30),
            wanted: outcome.flatMap(OutcomeOption.init), offer: offer.flatMap(OfferOption.init),
            discount: try discount(context.bundleId), intentIdentifier: try await savedIntent(context),
            plan: plan == PlanOption.monthly ? .monthly : nil)
        let installation = account.installation(context, storefront: storefront)
        let outcome = try await context.progress.during("buying \(product)") { () throws(CLIError) in
            try await purchase.run(installation, context)
        }
        context.print(outcome.result)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }

    private func savedIntent(_ context: CommandContext) async throws(CLIError) -> String? {
        guard let intent else { return nil }
        return try await IntentLookup.find(intent, context).intentIdentifier
    }

    /// Signed once for the whole command, so that every attempt sends the same payment.
    private func discount(_ bundleId: String) throws(CLIError) -> PaymentDiscount? {
        guard case .promotional(let identifier)? = offer.flatMap(OfferOption.init), let offerKey else { return nil }
        return try SignedOffer.sign(
            identifier, of: product, bundleId: bundleId, username: applicationUsername,
            key: try OfferKey.read(offerKey, identifier: offerKeyId), now: .wallClock())
    }
}

/// Runs one purchase. It loads the product, sends the payment, and repeats it with the same key until it has an
/// outcome.
struct Purchase: Sendable {
    var productIdentifier: String
    var quantity: Int
    var applicationUsername: String?
    var key: String
    /// Timeout for the outcome, over all attempts.
    var timeout: Duration
    /// The requested outcome. Nil leaves it to the account's settings.
    var wanted: OutcomeOption?
    /// The requested offer. Nil leaves it to the store.
    var offer: OfferOption?
    /// The signed promotional offer. Nil for other purchases.
    var discount: PaymentDiscount?
    /// The intent whose saved payment is sent.
    var intentIdentifier: String?
    /// Nil for a payment of the whole period.
    var plan: BillingPlan?

    func run(_ installation: Installation, _ context: CommandContext) async throws(CLIError) -> PurchaseOutcome {
        let deadline = ContinuousClock.now + timeout
        let (session, product) = try await Retry.run(until: deadline) { () throws(CLIError) in
            try await context.sessions.with(installation) { session throws(CLIError) in
                (session, try await look(session, installation, context))
            }
        }
        try checkIntroductoryOffer(of: product, for: installation.account)
        let outcome: (value: PaymentTransaction, note: Advice?)
        if let wanted {
            outcome = try await TesterOverride(account: installation.account, context: context).during(
                wanted.settings
            ) { [self] () throws(CLIError) in try await pay(installation, session, until: deadline, context) }
        } else {
            outcome = (try await pay(installation, session, until: deadline, context), nil)
        }
        let isUnderWay = outcome.value.transactionState == .purchasing
        return PurchaseOutcome(
            installation: installation, session: session, product: product, transaction: outcome.value, key: key,
            offer: offer, notes: outcome.note.map { [$0] } ?? [],
            isProcessorAway: isUnderWay ? await Self.isProcessorAway(context) : false)
    }

    /// Returns whether the payment processor is missing. False if that is unknown.
    private static func isProcessorAway(_ context: CommandContext) async -> Bool {
        let missing = (try? await context.api.received(MonitoringRoutes.services))?.missing ?? []
        return missing.contains(ServiceName.paymentProcessor.rawValue)
    }

    /// Rejects a purchase at the regular price when the introductory offer was requested.
    private func checkIntroductoryOffer(of product: Product?, for account: String) throws(CLIError) {
        guard offer == .introductory, let product else { return }
        let reason: String
        if product.introductoryPrice == nil {
            reason = "\(product.productIdentifier) has no introductory offer"
        } else if product.introductoryOfferEligibility == .ineligible {
            reason = "\(account) may not have the introductory offer of \(product.productIdentifier)"
        } else {
            return
        }
        throw CLIError(
            .offerUnavailable, "\(reason); nothing was bought",
            hints: ["why: storebus eligibility \(product.productIdentifier) --as \(account)"])
    }

    /// Loads the product for this customer. Nil while Catalog is away, because a purchase may still succeed.
    private func look(
        _ session: SessionResponse, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> Product? {
        do {
            let query = ProductsQuery(productIdentifiers: [productIdentifier])
            let response = try await context.api.call(ProductRoutes.query, token: session.token, body: query)
            if let product = response.products.first { return product }
        } catch  where error.status == .temporary {
            return nil
        }
        throw await unknownProduct(session, installation, context)
    }

    private func unknownProduct(
        _ session: SessionResponse, _ installation: Installation, _ context: CommandContext
    ) async -> CLIError {
        var error = await DidYouMean.productError(
            productIdentifier, bundleId: installation.bundleId, storefront: session.storefront.countryCode, context)
        error.status = .purchaseFailed
        return error
    }

    private func pay(
        _ installation: Installation, _ session: SessionResponse, until deadline: ContinuousClock.Instant,
        _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        // The store has taken the payment: from here on it is under way, even when the next request fails.
        var underWay: PaymentTransaction?
        while true {
            try checkInterrupt()
            let remaining = deadline - .now
            do {
                let transaction = try await send(
                    installation, session, timeout: max(remaining, .seconds(1)), context)
                if transaction.transactionState != .purchasing { return transaction }
                underWay = transaction
                guard remaining > Retry.pause else { return transaction }
            } catch  where error.retryable || error.status == .temporary {
                try checkInterrupt()
                guard deadline - .now > Retry.pause else {
                    if let underWay { return underWay }
                    throw withKey(error)
                }
            }
            try? await ContinuousClock().sleep(for: Retry.pause)
        }
    }

    /// Ends a purchase at Ctrl-C, which comes before the end of its time.
    private func checkInterrupt() throws(CLIError) {
        if Task.isCancelled { throw CLIError(.interrupted, "the purchase may have happened", hints: [sameKey]) }
    }

    /// Sends the payment once: in the app, or in the App Store for offers that no app sells.
    private func send(
        _ installation: Installation, _ session: SessionResponse, timeout: Duration, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        guard let redeemed = offer?.redeemed else {
            return try await context.api.addPayment(body, key: key, token: session.token, timeout: timeout)
                .transaction
        }
        return try await context.api.call(
            PaymentRoutes.addOutside, [.bundleId: installation.bundleId], key: key,
            body: OutsidePurchase(
                account: installation.account, productIdentifier: productIdentifier, offer: redeemed),
            timeout: timeout)
    }

    /// The remedy for an unknown outcome. A signed offer cannot be repeated, because each command signs again.
    private var sameKey: Advice {
        discount == nil
            ? "the same command with \("--idempotency-key \(key)" as ShellCommand) is safe to repeat"
            : "look first: storebus tx list"
    }

    private func withKey(_ error: CLIError) -> CLIError {
        error.with(hints: ["the purchase may have happened; \(sameKey)"])
    }

    private var body: PaymentRequest {
        PaymentRequest(
            productIdentifier: productIdentifier, quantity: NonNull(Quantity(quantity)),
            applicationUsername: applicationUsername, paymentDiscount: discount.map { DiscountParts($0) },
            intentIdentifier: intentIdentifier, billingPlanType: plan)
    }
}
