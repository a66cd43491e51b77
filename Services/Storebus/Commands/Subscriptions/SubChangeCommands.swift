import ArgumentParser
import StoreModels

/// Another product of the group, and the subscription it is for.
struct SubscriptionChangeArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The other product of the group.", valueName: "product"), completion: Completion.products)
    var product: String

    @OptionGroup var named: SubscriptionArguments
}

/// `storebus sub upgrade`
struct SubUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Buy a higher product of the group as the account would; it takes effect at once.",
        discussion: """
            storebus sub upgrade com.example.pro.yearly --as alice

            A product of a higher level, or of the same level and length, begins at once: it is charged in full, and the \
            unused part of the present period is given back. What it was is said afterwards, whatever was meant.
            """)

    @OptionGroup var change: SubscriptionChangeArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionPurchase(.upgrade, change.product).run(change.named, global) }
}

/// `storebus sub downgrade`
struct SubDowngradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downgrade",
        abstract: "Buy a lower product of the group as the account would; it takes effect at the next renewal.",
        discussion: """
            storebus sub downgrade com.example.pro.monthly --as alice

            A product of a lower level, or of the same level and another length, begins when the present period ends; \
            until then nothing changes and nothing is charged. Buying the present product takes it back.
            """)

    @OptionGroup var change: SubscriptionChangeArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionPurchase(.downgrade, change.product).run(change.named, global) }
}

/// `storebus sub change`
struct SubChangeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Say which product the next renewal buys, without a purchase.",
        discussion: """
            storebus sub change com.example.pro.yearly --as alice

            What a customer chooses under "manage subscriptions". The present product takes a change back that was \
            scheduled. What would take effect at once is refused: it is bought, storebus sub upgrade.
            """)

    @OptionGroup var change: SubscriptionChangeArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await change.named.context(global)
        let present = try await change.named.find(context)
        let installation = present.installation(context)
        var changed = try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.changeSubscription(
                present.originalTransactionIdentifier, to: change.product, token: session.token)
        }
        changed.account = installation.account
        changed.bundleId = installation.bundleId
        let shown = changed
        context.print(
            Answer(
                data: SubscriptionTable.json(shown), names: [shown.originalTransactionIdentifier],
                next: SubscriptionTable.next(shown)
            ) { _ in
                "changed  \(shown.originalTransactionIdentifier)  \(shown.productIdentifier)  "
                    + "\(SubscriptionWords.standing(shown))\n"
            })
    }
}

extension Subscription {
    /// The app on its account's first device.
    func installation(_ context: CommandContext) -> Installation {
        Installation(bundleId: bundleId ?? context.bundleId, account: account ?? "")
    }
}
