import ArgumentParser
import StoreModels

/// `storebus buy PRODUCT --as alice`
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Buy a product as somebody's app would.",
        discussion: """
            storebus buy com.example.pro.monthly --as alice
            storebus buy com.example.fishingHotSpots --as bob --quantity 3 --storefront FRA
            storebus buy com.example.pro.monthly --as carol --outcome ask-to-buy
            storebus buy com.example.pro.monthly --as carol --outcome fail:paymentInvalid
            storebus buy com.example.pro.monthly --as carol --offer winback:back.free.month

            The purchase has one idempotency key, made up unless given. While the store cannot say how it ended, the \
            command asks again with the same key, which cannot charge twice; --timeout says for how long, 30s unless \
            given. What the shopper does at the payment sheet is the account's setting: storebus account set.

            --outcome decides this one purchase: approve; decline by the processor; cancel at the sheet; ask-to-buy, \
            until storebus approve or decline; interrupted, until storebus resolve; fail:CODE with an SKError's name or \
            number; timeout, when the processor charges and its answer is lost; pending, when it takes two seconds to \
            know. It sets the account for as long as the purchase takes and puts back what was set, also when the \
            purchase fails or at Ctrl-C; so it is not for purchases of one account side by side.

            An introductory offer is given to whoever may have it; --offer intro buys nothing when that is not so. \
            --offer promo:ID is signed here, as the app's server would, with the key in --offer-key: PEM with \
            --offer-key-id, or what storebus key create --kind subscriptionOffer -o json prints. --offer code:ID and \
            winback:ID are redeemed outside the app, as in the App Store.

            --intent adds the payment that an app saved when it deferred a purchase begun in the store; it is made once, \
            with the product and quantity it was begun with.
            """)

    @Argument(
        help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: Completion.products)
    var product: String

    @Option(
        help: ArgumentHelp(
            "How many, 1 to 10; more than 1 of consumables and non-renewing subscriptions.", valueName: "n"))
    var quantity = 1

    @Option(
        help: ArgumentHelp(
            "How this purchase ends: \(WantedOutcome.words.joined(separator: ", ")).", valueName: "outcome"),
        completion: .list(WantedOutcome.words.map { $0 == "fail:CODE" ? "fail:" : $0 }))
    var outcome: String?

    @Option(
        help: ArgumentHelp(
            "With this offer: \(WantedOffer.words.joined(separator: ", ")).", valueName: "offer"),
        completion: .list(["intro", "promo:", "code:", "winback:"]))
    var offer: String?

    @Option(
        help: ArgumentHelp("The private key that signs a promotional offer.", valueName: "file"), completion: .file())
    var offerKey: String?

    @Option(help: ArgumentHelp("What the key is called, when its file does not say so.", valueName: "id"))
    var offerKeyId: String?

    @Option(
        help: ArgumentHelp("The saved payment of this intent, or the end of its identifier.", valueName: "intent"),
        completion: Completion.intents)
    var intent: String?

    @Option(help: ArgumentHelp("The same key again gives the same purchase.", valueName: "key"))
    var idempotencyKey: String?

    @Option(help: ArgumentHelp("The country of a new account, three letters.", valueName: "country"))
    var storefront: String?

    @Option(help: ArgumentHelp("Recorded with the payment.", valueName: "name"))
    var applicationUsername: String?

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try WantedOutcome.validate("--outcome", outcome)
        try WantedOffer.validate(offer, hasKey: offerKey != nil)
        if intent != nil, offer.flatMap(WantedOffer.init)?.redeemed != nil {
            throw ValidationError("--intent is a payment of the app; code: and winback: are redeemed outside it")
        }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let purchase = Purchase(
            productIdentifier: product, quantity: quantity, applicationUsername: applicationUsername,
            key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30),
            wanted: outcome.flatMap(WantedOutcome.init), offer: offer.flatMap(WantedOffer.init),
            discount: try discount(context.bundleId), intentIdentifier: try await savedIntent(context))
        let installation = account.installation(context, storefront: storefront)
        let outcome = try await context.progress.during("buying \(product)") { () throws(CLIError) in
            try await purchase.run(installation, context)
        }
        context.print(outcome.answer)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }

    private func savedIntent(_ context: CommandContext) async throws(CLIError) -> String? {
        guard let intent else { return nil }
        return try await IntentLookup.find(intent, context).intentIdentifier
    }

    /// Signed once for the whole command, so that every attempt sends the same payment.
    private func discount(_ bundleId: String) throws(CLIError) -> PaymentDiscount? {
        guard case .promotional(let identifier)? = offer.flatMap(WantedOffer.init), let offerKey else { return nil }
        return try SignedOffer.sign(
            identifier, of: product, bundleId: bundleId, username: applicationUsername,
            key: try OfferKey.read(offerKey, identifier: offerKeyId), now: .wallClock())
    }
}
