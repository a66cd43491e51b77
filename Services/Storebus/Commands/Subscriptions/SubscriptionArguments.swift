import ArgumentParser
import StoreModels

/// A subscription on the command line: one of its transactions, or whose it is.
struct SubscriptionArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Any transaction of the subscription, or the end of its identifier. Else --as says whose.",
            valueName: "subscription"), completion: Completion.subscriptions)
    var subscription: String?

    @Option(
        name: .customLong("as"), help: ArgumentHelp("The account whose it is.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @OptionGroup var app: AppOptions

    func validate() throws {
        if subscription == nil, account == nil { throw ValidationError("name a subscription, or its account: --as") }
    }

    /// - Throws: `notFound`, `transactionAmbiguous`.
    func find(_ context: CommandContext) async throws(CLIError) -> Subscription {
        if let subscription {
            return try await SubscriptionSearch.find(subscription, account: account, bundleId: app.bundleId, context)
        }
        return try await SubscriptionSearch.only(of: account ?? "", bundleId: context.bundleId, context)
    }
}
