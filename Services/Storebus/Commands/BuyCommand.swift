import ArgumentParser
import StoreModels

/// `storebus buy PRODUCT --as alice`
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Buy a product as somebody's app would.",
        discussion: """
            storebus buy com.example.pro.monthly --as alice

            The purchase has one idempotency key, made up unless given. While the store cannot say how it ended, the \
            command asks again with the same key, which cannot charge twice.
            """)

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "product"))
    var product: String

    @Option(help: ArgumentHelp("How many, 1 to 10.", valueName: "n"))
    var quantity = 1

    @Option(help: ArgumentHelp("The same key again gives the same purchase.", valueName: "key"))
    var idempotencyKey: String?

    @Option(help: ArgumentHelp("The country of a new account, three letters.", valueName: "country"))
    var storefront: String?

    @Option(help: ArgumentHelp("Recorded with the payment.", valueName: "name"))
    var applicationUsername: String?

    @Option(help: ArgumentHelp("How long to ask for the outcome, in seconds.", valueName: "seconds"))
    var timeout = 30

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds") }
    }

    func run() async throws {
        let context = try CommandContext.find(global)
        let purchase = Purchase(
            productIdentifier: product, quantity: quantity, applicationUsername: applicationUsername,
            key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))", timeout: .seconds(timeout))
        let outcome = try await purchase.run(account.installation(storefront: storefront), context)
        context.print(outcome.text, json: outcome.json)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}
