import ArgumentParser
import StoreModels

/// `storebus sub cancel`
struct SubCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Turn auto-renew off: the subscription ends with its present period.",
        discussion: """
            storebus sub cancel --as alice
            storebus sub cancel …0001
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.disableAutoRenew, "cancelled").run(named, global) }
}

/// `storebus sub resume`
struct SubResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Turn auto-renew on again.",
        discussion: "storebus sub resume --as alice")

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.enableAutoRenew, "resumed").run(named, global) }
}

/// `storebus sub renew`
struct SubRenewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Renew now; the new period begins where the present one ends.",
        discussion: """
            storebus sub renew --as alice

            The clock stays. storebus time next moves it to the renewal instead.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.renew, "renewed").run(named, global) }
}

/// `storebus sub expire`
struct SubExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "End the present period now, for good.",
        discussion: "storebus sub expire --as alice")

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.expire, "expired").run(named, global) }
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

/// `storebus sub fail-next`
struct SubFailNextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail-next", abstract: "Let the next charge of a renewal be declined.",
        discussion: """
            storebus sub fail-next --as alice

            Grace or billing retry begins at the renewal then: storebus time next. Later charges are what the account's \
            processor makes of them.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await SubscriptionOperation(.failNextRenewal, "will fail").run(named, global)
    }
}

/// `storebus sub resolve-billing`
struct SubResolveBillingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve-billing", abstract: "Try a renewal that failed again, now.",
        discussion: """
            storebus sub resolve-billing --as alice

            What a customer causes who corrects the card. In the grace period the billing date stays; after it the new \
            period begins now.
            """)

    @OptionGroup var named: SubscriptionArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await SubscriptionOperation(.resolveBilling, "resolved").run(named, global) }
}

/// What support or time does to one subscription, and what is said of it:
///
/// ```
/// renewed  2000000000000001  com.example.pro.monthly  renews 2027-01-28 10:00:04Z for 9.99 USD
/// made     2000000000000005  purchased, expires 2027-01-28 10:00:04Z
/// ```
struct SubscriptionOperation: Sendable {
    let operation: OperateSubscriptionRequest.Operation
    /// What it is once it is done.
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
            let reply = try await context.api.operate(operation, on: subscription.id, days: days)
            context.print(result(reply, account: subscription.account))
        } catch  where error.code.name == StoreErrorCode.transactionStateInvalid.name {
            var error = error
            let name = subscription.originalTransactionIdentifier
            error.hints = ["where it stands: storebus sub show \(name)", "storebus why \(name)"]
            throw error
        }
    }

    /// A charge that goes through is a new transaction; the others move the end of the present one.
    private var makesTransaction: Bool { operation == .renew || operation == .resolveBilling }

    private func result(_ reply: OperateSubscriptionReply, account: String?) -> CommandResult {
        let subscription = reply.subscription
        let standing = SubscriptionFormat.standing(subscription)
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
        let shown = fields
        return CommandResult(
            data: .object(members), names: [subscription.originalTransactionIdentifier],
            next: operation == .failNextRenewal
                ? "storebus time next\(subscription.bundleId.map(AppOptions.flag) ?? "")"
                : SubscriptionTable.next(subscription)
        ) { shown.text($0) }
        .about(subscription.bundleId)
    }
}
