import ArgumentParser
import StoreModels

/// `storebus eligibility PRODUCT --as alice`
struct EligibilityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eligibility", abstract: "Say whether an account may have an introductory offer, and why.",
        discussion: """
            storebus eligibility --as alice
            storebus eligibility com.example.pro.monthly --as alice

            Of every subscription of the app, or of one: the answer, the rule it follows from and the transaction that \
            decided. 'unknown' is an answer too, when the history cannot be asked; it is never guessed.
            """)

    @Argument(
        help: ArgumentHelp("Only this subscription.", valueName: "product"), completion: Completion.products)
    var product: String?

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let report = try await Self.report(product, account.installation(context), context)
        guard let product else { return context.print(report.answer) }
        guard let one = report.reply.eligibility.first(where: { $0.productIdentifier.isExactly(product) }) else {
            throw await Self.noSubscription(product, report, context)
        }
        context.print(report.answer(one))
    }

    /// What the store answers to this account's app, with the products as far as they can be had.
    static func report(
        _ product: String?, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> EligibilityReport {
        try await context.sessions.with(installation) { session throws(CLIError) in
            let reply = try await context.api.eligibility(product, token: session.token)
            let named = reply.eligibility.map(\.productIdentifier)
            let products = named.isEmpty ? nil : try? await context.api.products(named, token: session.token)
            return EligibilityReport(
                reply, account: installation.account, products: products?.products ?? [],
                bundleId: installation.bundleId)
        }
    }

    /// It is in the catalogue and no subscription, or it is not there at all.
    private static func noSubscription(
        _ product: String, _ report: EligibilityReport, _ context: CommandContext
    ) async -> CLIError {
        let all = (try? await context.api.catalogProducts(context.bundleId, storefront: "USA")) ?? []
        guard let known = all.first(where: { $0.productIdentifier.isExactly(product) }) else {
            return await Known.productError(product, bundleId: context.bundleId, context)
        }
        return CLIError(
            CLIErrorCode(.productNotFound),
            "'\(product)' is no subscription but \(known.type.rawValue): it has no introductory offer",
            hints: ["all subscriptions: storebus eligibility --as \(report.account)"])
    }
}
