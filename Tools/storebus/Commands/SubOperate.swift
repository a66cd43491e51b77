import ArgumentParser
import StoreHTTP
import StoreModels

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
        help = CommandConfiguration(commandName: name, abstract: abstract, discussion: discussion)
    }

    /// A row of the table: a type, because the parser identifies commands by type.
    protocol Row { static var verb: SubscriptionVerb { get } }

    /// The command of one row.
    struct RowCommand<Verb: Row>: AsyncParsableCommand {
        static var configuration: CommandConfiguration { Verb.verb.help }

        @OptionGroup var named: SubscriptionArguments
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            try await SubscriptionOperation(Verb.verb.operation, Verb.verb.word).run(named, global)
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

            The clock does not move. To move it to the renewal use storebus time next.
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

            Grace or billing retry begins at the renewal: storebus time next. The account's processor decides later \
            charges.
            """)
    }

    enum ResolveBilling: Row {
        static let verb = SubscriptionVerb(
            "resolve-billing", .resolveBilling, "resolved", "Try a renewal that failed again, now.",
            """
            storebus sub resolve-billing --as alice

            Acts as a customer who corrects the card. In the grace period the billing date stays. After it the new \
            period begins now.
            """)
    }
}

extension SubscriptionVerb.Row {
    typealias Command = SubscriptionVerb.RowCommand<Self>
}

/// `storebus sub extend`
struct SubExtendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend", abstract: "Let the present period end later, without a charge.",
        discussion: """
            storebus sub extend 30 --as alice
            storebus sub extend 7 …0001
            """)

    @Argument(help: ArgumentHelp("Days, 1 to 90.", valueName: "days"))
    var days: Int

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("a period is extended by 1 to 90 days") }
    }

    func run() async throws { try await SubscriptionOperation(.extend, "extended", days: days).run(named, global) }
}

/// The output of an operation on a subscription:
///
/// ```
/// renewed  2000000000000001  com.example.pro.monthly  renews 2027-01-28 10:00:04Z for 9.99 USD
/// made     2000000000000005  purchased, expires 2027-01-28 10:00:04Z
/// ```
struct SubscriptionOperation: Sendable {
    let operation: OperateSubscriptionRequest.Operation
    /// The past participle of the verb.
    let word: String
    let days: Int?

    init(_ operation: OperateSubscriptionRequest.Operation, _ word: String, days: Int? = nil) {
        self.operation = operation
        self.word = word
        self.days = days
    }

    func run(_ named: SubscriptionArguments, _ global: GlobalOptions) async throws(CLIError) {
        let context = try await named.context(global)
        let subscription = try await named.find(context)
        do {
            let values: [PathParameter: String] = [.id: subscription.id]
            let reply =
                if let days {
                    try await context.api.call(TransactionRoutes.extend, values, body: Extension(days: days))
                } else {
                    try await context.api.call(TransactionRoutes.operate(operation), values)
                }
            context.print(result(reply, account: subscription.account))
        } catch  where error.is(.transactionStateInvalid) {
            let name = subscription.originalTransactionIdentifier
            throw error.with(hints: ["its state: storebus sub show \(name)", "storebus why \(name)"])
        }
    }

    /// Whether a successful charge creates a transaction. Other operations change the latest one.
    private var makesTransaction: Bool { operation == .renew || operation == .resolveBilling }

    private func result(_ reply: OperateSubscriptionReply, account: String?) -> CommandResult {
        let subscription = reply.subscription
        let standing = SubscriptionFormat.status(subscription)
        var members: [String: JSONValue] = [
            "operation": .string(operation.rawValue), "subscription": SubscriptionTable.json(subscription),
        ]
        if let account { members["account"] = .string(account) }
        var fields = FieldList()
        fields.add(
            word, "\(subscription.originalTransactionIdentifier)  \(subscription.productIdentifier)  \(standing)")
        if let transaction = reply.transaction {
            members["transaction"] = JSONText.value(transaction)
            let remarks = Format.remarks(transaction)
            fields.add(
                makesTransaction ? "made" : "changed",
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
