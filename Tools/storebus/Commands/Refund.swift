import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus refund`
struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund a purchase and take its entitlement away.",
        discussion: """
            storebus refund …0001
            storebus refund …0001 --reason appIssue

            Refunds all of the money that is left. Refunding again gives nothing more. The customer's apps learn that \
            the entitlement is gone, and a subscription no longer renews. A used offer stays used.
            """)

    @OptionGroup var named: TransactionArgument
    @OptionGroup var reason: TakeBackReason
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await TakeBack(givesMoneyBack: true, transaction: named.transaction, reason: reason.value).run(global)
    }
}

/// `storebus revoke`
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a purchase's entitlement away without a refund.",
        discussion: "storebus revoke …0001")

    @OptionGroup var named: TransactionArgument
    @OptionGroup var reason: TakeBackReason
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await TakeBack(givesMoneyBack: false, transaction: named.transaction, reason: reason.value).run(global)
    }
}

/// The reason of a refund.
struct TakeBackReason: ParsableArguments {
    @Option(
        help: ArgumentHelp("Why: \(RefundRequest.Reason.rawValues.joined(separator: " or ")).", valueName: "reason"),
        completion: .list(RefundRequest.Reason.rawValues))
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
struct TakeBack: Sendable {
    let givesMoneyBack: Bool
    let transaction: String
    let reason: RefundRequest.Reason?

    func run(_ global: GlobalOptions) async throws {
        let context = try CommandContext.find(global)
        let row = try await TransactionSearch.find(transaction, context)
        let after = try await context.api.call(
            givesMoneyBack ? TransactionRoutes.refund : TransactionRoutes.revoke, [.id: row.transaction.id],
            body: reason.map { RefundReason(reason: $0) })
        context.print(result(after, account: row.account).about(row.bundleId))
    }

    private func result(_ transaction: PaymentTransaction, account: String) -> CommandResult {
        let name = Format.name(transaction)
        let price = givesMoneyBack ? transaction.price.map(Format.price) : nil
        let remarks = [price, transaction.revocationDate.map { "revoked \(Format.time($0))" }].compactMap { $0 }
        let members = JSONText.value(transaction).with([
            "account": .string(account), "summary": .string(remarks.joined(separator: ", ")),
        ])
        let line = [
            givesMoneyBack ? "refunded" : "revoked", name, transaction.payment.productIdentifier,
            remarks.joined(separator: ", "),
        ]
        let isSubscription = transaction.subscriptionGroupIdentifier != nil
        return CommandResult(
            line.filter { !$0.isEmpty }.joined(separator: "  ") + "\n", data: members, names: [name],
            next: isSubscription ? "storebus sub timeline \(name)" : "storebus tx show \(name)")
    }
}
