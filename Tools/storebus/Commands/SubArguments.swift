import ArgumentParser
import StoreHTTP
import StoreModels

/// Options that name a subscription: by one of its transactions, or by its account.
struct SubscriptionArguments: ParsableArguments {
    @Argument(
        "Any transaction of the subscription, or the end of its identifier. Without it, --as names the account.",
        "subscription", Completion.subscriptions)
    var subscription: String?
    @Option("The account that has the subscription.", "account", Completion.accounts, name: .customLong("as"))
    var account: String?

    func validate() throws {
        if subscription == nil, account == nil { throw ValidationError("name a subscription, or its account: --as") }
    }
}

/// A command about one subscription.
protocol OneSubscriptionCommand: OneAppCommand {
    var named: SubscriptionArguments { get }
}

extension OneSubscriptionCommand {
    /// Resolves the app for an account's subscription. A transaction identifies it by itself.
    func context() async throws(CLIError) -> CommandContext {
        named.subscription == nil
            ? try await CommandContext.find(options, app: app)
            : try CommandContext.find(options, bundleId: app.bundleId)
    }

    /// - Parameter isChange: Whether the command changes the subscription.
    /// - Throws: `notFound`, `transactionAmbiguous`, `usage`.
    func find(_ context: CommandContext, isChange: Bool = false) async throws(CLIError) -> Subscription {
        let account = named.account
        if let subscription = named.subscription {
            let text = account == nil ? subscription : nil
            return try await DidYouMean.notAccount(text, context) { () throws(CLIError) in
                try await SubscriptionSearch.find(
                    subscription, account: account, bundleId: app.bundleId, isChange: isChange, context)
            }
        }
        return try await SubscriptionSearch.only(of: account ?? "", bundleId: context.bundleId, context)
    }
}

/// Finds the subscription a command names.
enum SubscriptionSearch {
    /// Maximum number of subscriptions searched. Older ones are found by account.
    private static let searchedMax = 20_000

    /// Finds the subscription of a transaction, by its identifier or the identifier's end.
    /// - Throws: `transactionAmbiguous` with the candidates, `usage` for too short an end, or `notFound`.
    static func find(
        _ text: String, account: String?, bundleId: String?, isChange: Bool, _ context: CommandContext
    ) async throws(CLIError) -> Subscription {
        let all = try await context.api.list(
            SubscriptionRoutes.search, query: ["bundleId": bundleId, "account": account], limit: searchedMax, after: nil
        ).items
        if let found = try named(text, among: all, isChange: isChange) { return found }
        // The transaction may be between the first and the latest.
        let row = try await TransactionSearch.find(text, context, isChange: isChange)
        if let found = subscription(of: row.transaction, among: all) { return found }
        throw CLIError(
            CLIErrorCode(.notFound), "transaction '\(Format.name(row.transaction))' belongs to no subscription",
            hints: ["all of them: storebus sub list", "storebus tx show \(Format.name(row.transaction))"])
    }

    static func subscription(of transaction: PaymentTransaction, among all: [Subscription]) -> Subscription? {
        let original = transaction.originalTransactionIdentifier ?? transaction.transactionIdentifier
        return all.first { $0.originalTransactionIdentifier.isExactly(original) }
    }

    private static func named(
        _ text: String, among all: [Subscription], isChange: Bool
    ) throws(CLIError) -> Subscription? {
        let typed = TypedIdentifier(text)
        guard !typed.wanted.isEmpty else {
            throw CLIError(
                .usage, "a subscription is named by one of its transactions",
                hints: ["all of them: storebus sub list"])
        }
        if let exact = all.first(where: { $0.names.contains(typed.wanted) }) { return exact }
        let matches = all.filter { $0.names.contains { typed.isEnd(of: $0) } }
        if isChange, !matches.isEmpty {
            try typed.checkLength(of: matches.map(\.originalTransactionIdentifier))
        }
        guard matches.count <= 1 else { throw ambiguous("'\(text)' is the end of", matches) }
        return matches.first
    }

    /// Finds an account's only subscription. If several exist, it is the one that renews.
    static func only(
        of account: String, bundleId: String, _ context: CommandContext
    ) async throws(CLIError) -> Subscription {
        let all = try await context.api.list(
            SubscriptionRoutes.search, query: ["bundleId": bundleId, "account": account], limit: 100, after: nil
        ).items
        let candidates = all.count == 1 ? all : all.filter(\.state.isExisting)
        if candidates.count == 1 { return candidates[0] }
        guard all.isEmpty else { throw ambiguous("\(account) has", all) }
        let notes = await DidYouMean.notes(aboutAccount: account, context)
        throw CLIError(
            CLIErrorCode(.notFound), "\(account) has no subscription in \(bundleId)",
            hints: notes + ["all of them: storebus sub list\(AppOptions.flag(bundleId))"])
    }

    private static func ambiguous(_ what: String, _ matches: [Subscription]) -> CLIError {
        let names = matches.map(\.originalTransactionIdentifier)
        return CLIError(
            .transactionAmbiguous, "\(what) \(Format.count(matches.count, "subscription"))",
            hints: ["name one: \(names.prefix(4).joined(separator: ", "))"],
            details: ["subscriptions": .array(names.map { .string($0) })])
    }
}

extension Subscription {
    /// Identifiers that name the subscription.
    fileprivate var names: [String] { [originalTransactionIdentifier, transactionIdentifier, id] }
}
