import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus why ID`
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain a product, a transaction that comes again, or a subscription that has ended.",
        discussion: """
            storebus why com.example.pro.monthly --storefront FRA
            storebus why com.example.pro.monthly --as alice
            storebus why …0001

            Of a product, says whether it can be bought in a storefront and each reason why not. With --as, also says \
            whether that account may have its introductory offer, and why.

            Of a transaction, says its state, where it came from, how often it was sent, and why it is or is not sent \
            again. Of a failed one, names the setting of the account or the processor that failed it. Of one of a \
            subscription, explains its price, and why the subscription renews, does not renew or has ended.
            """)

    @Argument(
        help: ArgumentHelp("A product's identifier, a transaction's, or the end of a transaction's.", valueName: "id"),
        completion: Completion.products)
    var identifier: String

    @Option(
        help: ArgumentHelp("For a product: the country, three letters.", valueName: "country"),
        completion: Completion.storefronts)
    var storefront = "USA"

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("For a product: the account to check its introductory offer for.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        var context = try CommandContext.find(options.global, bundleId: options.app.bundleId)
        if Self.looksLikeTransaction(identifier) {
            return context.print(
                try await Self.explanation(try await TransactionSearch.find(identifier, context), context))
        }
        context = try await context.withOnlyApp()
        try await explainProduct(context)
    }

    private func explainProduct(_ context: CommandContext) async throws(CLIError) {
        let storefront = storefront.uppercased()
        let explanation = try await DidYouMean.forStorefront(storefront, context) { () throws(CLIError) in
            try await context.api.call(
                AppRoutes.explain, [.bundleId: context.bundleId, .id: identifier], query: ["storefront": storefront])
        }
        if explanation.reasons.contains(.unknown), let row = try? await TransactionSearch.find(identifier, context) {
            return context.print(try await Self.explanation(row, context))
        }
        var result = ProductInfo(
            product: nil, explanation: explanation, bundleId: context.bundleId,
            eligibility: try await eligibility(context), account: account
        ).result
        if explanation.reasons.contains(.unknown) {
            let error = await DidYouMean.productError(
                identifier, bundleId: context.bundleId, storefront: storefront, context)
            result.notes = Array(error.hints.dropLast())
            result.next = "storebus product list\(AppOptions.flag(context.bundleId))"
        }
        context.print(result)
    }

    /// Explains a transaction and its subscription.
    private static func explanation(
        _ row: TransactionTable.Row, _ context: CommandContext
    ) async throws(CLIError) -> CommandResult {
        let transaction = row.transaction
        let isOfSubscription =
            transaction.subscriptionGroupIdentifier != nil && transaction.transactionState == .purchased
        let timeline = isOfSubscription ? try await context.api.timeline(row.transaction.id) : nil
        return TransactionExplanation(
            row: row, subscription: timeline.map(SubscriptionExplanation.init), failure: await failure(row, context)
        ).result
    }

    private static func failure(_ row: TransactionTable.Row, _ context: CommandContext) async -> FailureExplanation? {
        guard let error = row.transaction.error, row.transaction.transactionState == .failed else { return nil }
        return FailureExplanation(
            error: error, account: row.account,
            tester: try? await context.api.received(AccountRoutes.get, [.account: row.account]),
            app: try? await context.api.call(AppRoutes.get, [.bundleId: row.bundleId]))
    }

    private func eligibility(_ context: CommandContext) async throws(CLIError) -> ProductEligibility? {
        guard let account else { return nil }
        let installation = Installation(bundleId: context.bundleId, account: account)
        return try await EligibilityCommand.report(identifier, installation, context).reply.eligibility
            .first { $0.productIdentifier.isExactly(identifier) }
    }

    /// Whether the text looks like a transaction's identifier: `…0001`, `0001`, `2000000000000001`, `t_…`.
    static func looksLikeTransaction(_ text: String) -> Bool {
        text.hasPrefix("…") || text.hasPrefix("t_") || (!text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber })
    }
}
