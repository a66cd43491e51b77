import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus refund …`
struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "refund", "Refunds: give one, or ask for one as the customer and decide as the store.",
        """
        storebus refund …0001
        storebus refund request …0001 --reason FULFILLMENT_ISSUE
        storebus refund grant …0001

        Without a subcommand, refunds a purchase at once, as storebus refund now does.
        """,
        subcommands: [
            RefundNowCommand.self, RefundRequestCommand.self, RefundListCommand.self, RefundGrantCommand.self,
            RefundDeclineCommand.self,
        ], defaultSubcommand: RefundNowCommand.self)
}

/// `storebus refund TRANSACTION`
struct RefundNowCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "now", "Refund a purchase and take its entitlement away.",
        """
        storebus refund now …0001
        storebus refund …0001 --reason appIssue

        Refunds all of the money that is left. Refunding again gives nothing more. The customer's apps learn that \
        the entitlement is gone, and a subscription no longer renews. A used offer stays used.
        """)

    @OptionGroup var named: TransactionArgument
    @OptionGroup var reason: TakeBackReason
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await reason.takeBack(named, isRefund: true, context) }
}

/// `storebus revoke`
struct RevokeCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "revoke", "Take a purchase's entitlement away without a refund.", "storebus revoke …0001")

    @OptionGroup var named: TransactionArgument
    @OptionGroup var reason: TakeBackReason
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await reason.takeBack(named, isRefund: false, context) }
}

/// The reason of a refund.
struct TakeBackReason: ParsableArguments {
    @Option(
        "Why: \(RefundRequest.Reason.rawValues.joined(separator: " or ")).", "reason",
        .list(RefundRequest.Reason.rawValues))
    var reason: String?

    var value: RefundRequest.Reason? { reason.flatMap(RefundRequest.Reason.init) }

    func validate() throws {
        guard let reason, value == nil else { return }
        let near = Suggestion.suffix(for: reason, among: RefundRequest.Reason.rawValues)
        throw ValidationError("--reason is \(RefundRequest.Reason.rawValues.joined(separator: " or "))\(near)")
    }
}

/// The output of a refund or revocation:
///
/// ```
/// refunded  2000000000000001  com.example.pro.monthly  9.99 USD, revoked 2026-12-01 10:00:00Z
/// ```
extension TakeBackReason {
    fileprivate func takeBack(
        _ named: TransactionArgument, isRefund: Bool, _ context: CommandContext
    ) async throws(CLIError) {
        let row = try await TransactionSearch.find(named.transaction, context, isChange: true)
        let after = try await context.api.call(
            isRefund ? TransactionRoutes.refund : TransactionRoutes.revoke, [.id: row.transaction.id],
            body: value.map { RefundReason(reason: $0) })
        context.print(Self.result(after, isRefund: isRefund, account: row.account).about(row.bundleId))
    }

    private static func result(
        _ transaction: PaymentTransaction, isRefund: Bool, account: String
    ) -> CommandResult {
        let name = Format.name(transaction)
        let price = isRefund ? transaction.price.map(Format.price) : nil
        let remarks = [price, transaction.revocationDate.map { "revoked \(Format.time($0))" }].compactMap { $0 }
        let members = JSONText.value(transaction).with([
            "account": .string(account), "summary": .string(remarks.joined(separator: ", ")),
        ])
        let line = [
            isRefund ? "refunded" : "revoked", name, transaction.payment.productIdentifier,
            remarks.joined(separator: ", "),
        ]
        let isSubscription = transaction.subscriptionGroupIdentifier != nil
        return CommandResult(
            line.filter { !$0.isEmpty }.joined(separator: "  ") + "\n", data: members, names: [name],
            next: isSubscription ? "storebus sub timeline \(name)" : "storebus tx show \(name)")
    }
}
