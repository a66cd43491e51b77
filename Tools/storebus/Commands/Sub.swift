import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus sub …`
struct SubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sub", abstract: "Subscriptions: look at them, change them, move them along.",
        discussion: """
            storebus sub list
            storebus sub timeline --as alice
            storebus sub cancel --as alice

            Name a subscription by any of its transactions, or by --as when the account has only one.
            """,
        subcommands: [
            List.self, Show.self, SubTimelineCommand.self, SubscriptionVerb.Cancel.Command.self,
            SubscriptionVerb.Resume.Command.self,
            SubUpgradeCommand.self, SubDowngradeCommand.self, SubChangeCommand.self,
            SubscriptionVerb.Renew.Command.self,
            SubscriptionVerb.Expire.Command.self, SubExtendCommand.self, SubscriptionVerb.FailNext.Command.self,
            SubscriptionVerb.ResolveBilling.Command.self,
        ])

    /// `storebus sub list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List subscriptions, of all accounts or of one.",
            discussion: """
                storebus sub list
                storebus sub list --as alice
                storebus sub list --state inGracePeriod -o names
                """, aliases: ["ls"])

        @OptionGroup var owner: AccountFilter

        @Option(help: ArgumentHelp("Only this app's.", valueName: "id"))
        var bundleId: String?

        @Option(
            help: ArgumentHelp(
                "Only in this state: \(SubscriptionState.listed).", valueName: "state"),
            completion: .list(SubscriptionState.rawValues))
        var state: String?

        @OptionGroup var page: PageOptions
        @OptionGroup var global: GlobalOptions

        func validate() throws { try Choice.check("--state", state, among: SubscriptionState.rawValues) }

        func run() async throws {
            let context = try CommandContext.find(global, bundleId: bundleId)
            let (found, after) = try await context.api.list(
                SubscriptionRoutes.search,
                query: ["bundleId": context.namedApp, "account": owner.account, "state": state],
                limit: page.limit, after: page.after)
            var result = CommandResult(
                SubscriptionTable.table(found), items: found.map(SubscriptionTable.json),
                names: found.map(\.originalTransactionIdentifier),
                next: found.first.map(SubscriptionTable.next)
                    ?? "storebus buy PRODUCT --as \(owner.account ?? "alice")",
                after: after, ifEmpty: "no subscriptions")
            result.app = found.first?.bundleId
            if found.isEmpty, context.namedApp != nil { _ = try await context.app() }
            if found.isEmpty { result.notes = await owner.notes(context) }
            context.print(result)
        }
    }

    /// `storebus sub show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one subscription: its state and its next event.",
            discussion: """
                storebus sub show --as alice
                storebus sub show …0001
                """)

        @OptionGroup var named: SubscriptionArguments
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await named.context(global)
            context.print(SubscriptionTable.result(try await named.find(context)))
        }
    }
}

/// `storebus sub timeline`
struct SubTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Show a subscription's events and charges.",
        discussion: """
            storebus sub timeline --as alice
            storebus sub timeline …0001 -o json

            Oldest first, in the store's time. A declined charge shows the requested amount. The sums count the \
            charges and refunds that were made.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await named.context(global)
        let subscription = try await named.find(context)
        let timeline = try await context.api.timeline(subscription.originalTransactionIdentifier)
        context.print(TimelineReport(timeline, account: subscription.account).result)
    }
}
