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

    /// An account's only subscription is one of an app; one that is named says itself whose it is.
    func context(_ global: GlobalOptions) async throws(CLIError) -> CommandContext {
        subscription == nil
            ? try await CommandContext.find(global, app: app)
            : try CommandContext.find(global, bundleId: app.bundleId)
    }

    /// - Throws: `notFound`, `transactionAmbiguous`.
    func find(_ context: CommandContext) async throws(CLIError) -> Subscription {
        if let subscription {
            return try await SubscriptionSearch.find(subscription, account: account, bundleId: app.bundleId, context)
        }
        return try await SubscriptionSearch.only(of: account ?? "", bundleId: context.bundleId, context)
    }
}
