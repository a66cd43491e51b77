import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus sub …`
struct SubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "sub", "Subscriptions: look at them, change them, move them along.",
        """
        storebus sub list
        storebus sub timeline --as alice
        storebus sub cancel --as alice

        Name a subscription by any of its transactions, or by --as when the account has only one.
        """,
        subcommands: [
            List.self, Show.self, SubTimelineCommand.self, SubscriptionVerb.Cancel.Command.self,
            SubscriptionVerb.Resume.Command.self, SubUpgradeCommand.self, SubDowngradeCommand.self,
            SubChangeCommand.self, SubscriptionVerb.Renew.Command.self, SubscriptionVerb.Expire.Command.self,
            SubExtendCommand.self, SubscriptionVerb.FailNext.Command.self, SubscriptionVerb.ResolveBilling.Command.self,
        ])

    /// `storebus sub list`
    struct List: AsyncParsableCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List subscriptions, of all accounts or of one.",
            """
            storebus sub list
            storebus sub list --as alice
            storebus sub list --state inGracePeriod -o names
            """, aliases: ["ls"])

        @OptionGroup var owner: AccountFilter
        @Option("Only this app's.", "id") var bundleId: String?
        @Option("Only in this state: \(SubscriptionState.listed).", "state", .list(SubscriptionState.rawValues))
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
            var facts: [ExactText: [ExactText: SubscriptionFacts]] = [:]
            for app in Set(exactly: found.compactMap(\.bundleId)) {
                facts[app] = try? await context.api.subscriptionFacts(app.text)
            }
            var result = SubscriptionTable.result(found, facts: facts, after: after)
            if found.isEmpty, context.namedApp != nil { _ = try await context.app() }
            if found.isEmpty { result.notes = await owner.notes(context) }
            context.print(result)
        }
    }

    /// `storebus sub show`
    struct Show: OneSubscriptionCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show one subscription: its state and its next event.",
            """
            storebus sub show --as alice
            storebus sub show …0001
            """)

        @OptionGroup var named: SubscriptionArguments
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let found = try await find(context)
            let facts = try? await context.api.subscriptionFacts(found.bundleId ?? context.bundleId)
            context.print(SubscriptionTable.result(found, facts?[found.productIdentifier]))
        }
    }
}

/// `storebus sub timeline`
struct SubTimelineCommand: OneSubscriptionCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "timeline", "Show a subscription's events and charges.",
        """
        storebus sub timeline --as alice
        storebus sub timeline …0001 -o json

        Oldest first, in the store's time. A declined charge shows the requested amount. The sums count the \
        charges and refunds that were made.
        """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let subscription = try await find(context)
        let timeline = try await context.api.timeline(subscription.originalTransactionIdentifier)
        context.print(TimelineReport(timeline, account: subscription.account).result)
    }
}

/// A verb of `storebus sub` that runs one operation on a subscription.
struct SubscriptionVerb: Sendable {
    let operation: OperateSubscriptionRequest.Operation
    /// The past participle of the verb, for the output.
    let word: String
    let help: CommandConfiguration

    init(
        _ name: String, _ operation: OperateSubscriptionRequest.Operation, _ word: String, _ abstract: String,
        _ discussion: String
    ) {
        self.operation = operation
        self.word = word
        help = CommandConfiguration(name, abstract, discussion)
    }

    /// A row of the table: a type, because the parser identifies commands by type.
    protocol Row { static var verb: SubscriptionVerb { get } }

    /// The command of one row.
    struct RowCommand<Verb: Row>: OneSubscriptionCommand {
        static var configuration: CommandConfiguration { Verb.verb.help }

        @OptionGroup var named: SubscriptionArguments
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await operate(Verb.verb.operation, Verb.verb.word, context)
        }
    }

    enum Cancel: Row {
        static let verb = SubscriptionVerb(
            "cancel", .disableAutoRenew, "cancelled",
            "Turn auto-renew off: the subscription ends with its present period.",
            """
            storebus sub cancel --as alice
            storebus sub cancel …0001
            """)
    }

    enum Resume: Row {
        static let verb = SubscriptionVerb(
            "resume", .enableAutoRenew, "resumed", "Turn auto-renew on again.",
            "storebus sub resume --as alice")
    }

    enum Renew: Row {
        static let verb = SubscriptionVerb(
            "renew", .renew, "renewed", "Renew now. The new period begins where the present one ends.",
            """
            storebus sub renew --as alice

            The clock does not move. To move it to the renewal use storebus time next. If the charge is declined, the \
            command exits with 10: the period goes on, and the charge is tried again at its end. Grace or billing \
            retry begins only there.
            """)
    }

    enum Expire: Row {
        static let verb = SubscriptionVerb(
            "expire", .expire, "expired", "End the present period now, for good.",
            "storebus sub expire --as alice")
    }

    enum FailNext: Row {
        static let verb = SubscriptionVerb(
            "fail-next", .failNextRenewal, "will fail", "Let the next charge of a renewal be declined.",
            """
            storebus sub fail-next --as alice

            Grace or billing retry begins at the renewal: storebus time next. Which one, the account's setting says: \
            storebus account set alice --billing-grace-period false. The account's processor decides later charges.
            """)
    }

    enum ResolveBilling: Row {
        static let verb = SubscriptionVerb(
            "resolve-billing", .resolveBilling, "resolved", "Try a renewal that failed again, now.",
            """
            storebus sub resolve-billing --as alice

            Acts as a customer who corrects the card. In the grace period the billing date stays. After it the new \
            period begins now. If the charge is declined again, the command exits with 10.
            """)
    }
}

extension SubscriptionVerb.Row {
    typealias Command = SubscriptionVerb.RowCommand<Self>
}

/// `storebus sub extend`
struct SubExtendCommand: OneSubscriptionCommand {
    static let configuration = CommandConfiguration(
        "extend", "Let the present period end later, without a charge.",
        """
        storebus sub extend 30 --as alice
        storebus sub extend 7 …0001
        """)

    @Argument("Days, 1 to 90.", "days") var days: Int
    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("<days> is 1 to 90, not '\(days)'") }
    }

    func run(_ context: CommandContext) async throws {
        try await operate(.extend, "extended", days: days, context)
    }
}

/// The output of an operation on a subscription:
///
/// ```
/// renewed  2000000000000001  com.example.pro.monthly  renews 2027-01-28 10:00:04Z for 9.99 USD
/// made     2000000000000005  purchased, expires 2027-01-28 10:00:04Z
/// ```
extension OneSubscriptionCommand {
    /// - Parameter word: The past participle of the verb.
    fileprivate func operate(
        _ operation: OperateSubscriptionRequest.Operation, _ word: String, days: Int? = nil, _ context: CommandContext
    ) async throws(CLIError) {
        let subscription = try await find(context, isChange: true)
        do throws(CLIError) {
            let values: [PathParameter: String] = [.id: subscription.id]
            let reply =
                if let days {
                    try await context.api.call(TransactionRoutes.extend, values, body: Extension(days: days))
                } else {
                    try await context.api.call(TransactionRoutes.operate(operation), values)
                }
            if operation.isCharge, reply.transaction == nil { throw await Self.declined(operation, reply, context) }
            context.print(Self.result(operation, word, reply, account: subscription.account))
        } catch  where error.is(.transactionStateInvalid) {
            let name = subscription.originalTransactionIdentifier
            throw error.with(hints: ["its state: storebus sub show \(name)", "storebus why \(name)"])
        }
    }

    /// The error of a charge that made no transaction.
    private static func declined(
        _ operation: OperateSubscriptionRequest.Operation, _ reply: OperateSubscriptionReply, _ context: CommandContext
    ) async -> CLIError {
        let subscription = reply.subscription
        let name = subscription.originalTransactionIdentifier
        let failed = try? await context.api.timeline(name).events.last { $0.kind == .billingFailed }
        let charge = "the charge" + (failed?.amount.map { " of \(Format.price($0))" } ?? "")
        var hints: [Advice] = []
        if let account = subscription.account,
            let tester = try? await context.api.received(AccountRoutes.get, [.account: account])
        {
            if tester.effective.failRenewals == true {
                hints = ["let its renewals pass: storebus account set \(account) --fail-renewals false"]
            } else if tester.effective.processor == .decline {
                hints = ["let its charges pass: storebus account set \(account) --processor approve"]
            }
        }
        guard operation == .renew else {
            return CLIError(
                .chargeDeclined, "still declined: \(charge); \(SubscriptionFormat.status(subscription))",
                hints: hints.isEmpty ? ["try again: storebus sub resolve-billing \(name)"] : hints)
        }
        return CLIError(
            .chargeDeclined, "not renewed: \(charge) was declined; the period goes on, and its end tries again",
            hints: hints + [
                "see grace or billing retry: storebus sub fail-next \(name), then at its end: storebus time next"
            ])
    }

    private static func result(
        _ operation: OperateSubscriptionRequest.Operation, _ word: String, _ reply: OperateSubscriptionReply,
        account: String?
    ) -> CommandResult {
        let subscription = reply.subscription
        let standing = SubscriptionFormat.status(subscription)
        var members: [String: JSONValue] = [
            "operation": .string(operation.rawValue), "subscription": SubscriptionTable.json(subscription),
        ]
        if let account { members["account"] = .string(account) }
        var fields: FieldList = [
            word: "\(subscription.originalTransactionIdentifier)  \(subscription.productIdentifier)  \(standing)"
        ]
        if let transaction = reply.transaction {
            members["transaction"] = JSONText.value(transaction)
            let remarks = Format.remarks(transaction)
            // A charge makes a transaction. Other operations change the latest one.
            fields.add(
                operation.isCharge ? "made" : "changed",
                "\(Format.name(transaction))  " + transaction.transactionState.rawValue
                    + (remarks.isEmpty ? "" : ", \(remarks)"))
        }
        return CommandResult(
            fields, data: .object(members), names: [subscription.originalTransactionIdentifier],
            next: operation == .failNextRenewal
                ? "storebus time next\(subscription.bundleId.map(AppOptions.flag) ?? "")"
                : SubscriptionTable.next(subscription)
        )
        .about(subscription.bundleId)
    }
}

extension OperateSubscriptionRequest.Operation {
    /// Whether the operation charges the customer. Without a transaction its charge was not made.
    fileprivate var isCharge: Bool { self == .renew || self == .resolveBilling }
}
