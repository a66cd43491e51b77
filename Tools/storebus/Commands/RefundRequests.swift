import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus refund request`
struct RefundRequestCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "request", "Ask for a refund of a purchase, as its customer does.",
        """
        storebus refund request …0001
        storebus refund request …0001 --reason FULFILLMENT_ISSUE

        The app's server gets a CONSUMPTION_REQUEST with the reason. The purchase stays as it is until the \
        decision: storebus refund grant or decline. A purchase has at most one open request.
        """)

    @OptionGroup var named: TransactionArgument
    @Option(
        "Why: \(ConsumptionRequestReason.listed).", "reason", .list(ConsumptionRequestReason.rawValues))
    var reason = ConsumptionRequestReason.unintendedPurchase.rawValue
    @OptionGroup var options: GlobalOptions

    func validate() throws { try Choice.check("--reason", reason, among: ConsumptionRequestReason.rawValues) }

    func run(_ context: CommandContext) async throws {
        guard let reason = ConsumptionRequestReason(rawValue: reason) else { return }
        let row = try await TransactionSearch.find(named.transaction, context, isChange: true)
        let request = try await context.api.call(
            TransactionRoutes.openRefundRequest, [.id: row.transaction.id], body: RefundRequestBody(reason: reason))
        context.print(RefundRequestTable.result(request))
    }
}

/// `storebus refund list`
struct RefundListCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "list", "List an app's requests for refunds that wait for a decision, oldest first.", "storebus refund list",
        aliases: ["ls"])

    @OptionGroup var options: AppCommandOptions

    func run(_ context: CommandContext) async throws {
        let open = try await context.api.all(TransactionRoutes.refundRequests, [.bundleId: context.bundleId])
        context.print(RefundRequestTable.result(open))
    }
}

/// `storebus refund grant`
struct RefundGrantCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "grant", "Grant a request for a refund, as a whole or in part.",
        """
        storebus refund grant …0001
        storebus refund grant --as alice
        storebus refund grant …0001 --percent 33.5

        Name the request by its own identifier or by its purchase's. --as is enough when the account has only one \
        open request. The app's server gets a REFUND with the part that is given back.
        """)

    @OptionGroup var named: RefundRequestArgument
    @Option("The part of the price to give back. Default: all of it.", "percent") var percent: Percentage?
    @OptionGroup var options: AppCommandOptions

    func run(_ context: CommandContext) async throws {
        let request = try await named.find(context)
        let share = percent?.share
        let granted = try await context.api.call(
            TransactionRoutes.grantRefundRequest,
            [.refundRequestIdentifier: request.refundRequestIdentifier], body: share)
        var result = RefundRequestTable.result(granted)
        if request.state == .granted { result.notes.append("it was granted before, and nothing has changed") }
        context.print(result)
    }
}

/// `storebus refund decline`
struct RefundDeclineCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "decline", "Decline a request for a refund.",
        """
        storebus refund decline …0001
        storebus refund decline --as alice

        The purchase stays as it is. The app's server gets a REFUND_DECLINED.
        """)

    @OptionGroup var named: RefundRequestArgument
    @OptionGroup var options: AppCommandOptions

    func run(_ context: CommandContext) async throws {
        let request = try await named.find(context)
        let declined = try await context.api.call(
            TransactionRoutes.declineRefundRequest,
            [.refundRequestIdentifier: request.refundRequestIdentifier])
        context.print(RefundRequestTable.result(declined))
    }
}

/// A part of a price: `50`, `33.5%`.
struct Percentage: Hashable, Sendable, ExpressibleByArgument {
    /// 1…100000, in thousandths of a percent.
    let thousandths: Int

    init?(argument: String) {
        let text = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = halves.count == 2 ? halves[1] : ""
        guard decimals.count <= 3, halves.count == 1 || !decimals.isEmpty,
            (halves[0] + decimals).allSatisfy({ $0.isASCII && $0.isNumber }), !halves[0].isEmpty,
            let number = Int(halves[0] + decimals + String(repeating: "0", count: 3 - decimals.count)),
            (1...100_000).contains(number)
        else { return nil }
        thousandths = number
    }

    /// Nil for the whole price.
    fileprivate var share: RefundShare? {
        thousandths == 100_000 ? nil : RefundShare(type: .refundProrated, percentage: thousandths)
    }
}

/// The arguments that name a request for a refund: by itself, by its purchase, or by its account.
struct RefundRequestArgument: ParsableArguments {
    @Argument(
        "The request or its purchase, or the end of an identifier: 0001. Without it, --as names the account.",
        "request")
    var request: String?
    @Option("The account whose only request waits.", "account", Completion.accounts, name: .customLong("as"))
    var account: String?

    func validate() throws {
        try IdentifierRule.account.check("--as", account)
        if request == nil, account == nil {
            throw ValidationError("name a request for a refund or its purchase, or its account: --as")
        }
    }

    /// Finds an open request, or a decided one by its whole identifier.
    /// - Throws: `notFound`, `transactionAmbiguous`, `usage`.
    func find(_ context: CommandContext) async throws(CLIError) -> CustomerRefundRequest {
        let open = try await context.api.all(TransactionRoutes.refundRequests, [.bundleId: context.bundleId])
            .filter { account == nil || $0.account.isExactly(account) }
        guard let request else { return try await only(open, "\(account ?? "")", context) }
        let typed = TypedIdentifier(request)
        if let exact = open.first(where: { $0.names.containsExactly(typed.wanted) }) { return exact }
        let matches = open.filter { $0.names.contains { typed.isEnd(of: $0) } }
        try typed.checkLength(of: matches.map(\.refundRequestIdentifier))
        if matches.isEmpty, let whole = try await whole(typed.wanted, context) { return whole }
        return try await only(matches, "'\(request)'", context)
    }

    /// Finds a request by its whole identifier.
    /// - Throws: `notFound` for one of another account or app than those named.
    private func whole(
        _ identifier: String, _ context: CommandContext
    ) async throws(CLIError) -> CustomerRefundRequest? {
        guard identifier.hasPrefix("q_") else { return nil }
        let found = try await ifFound { () throws(CLIError) in
            try await context.api.call(TransactionRoutes.refundRequest, [.refundRequestIdentifier: identifier])
        }
        guard let found else { return nil }
        if let account, !found.account.isExactly(account) {
            throw CLIError(
                CLIErrorCode(.notFound), "\(identifier) is a request of \(found.account), not of \(account)",
                hints: ["leave --as out"])
        }
        guard found.bundleId.isExactly(context.bundleId) else {
            throw CLIError(
                CLIErrorCode(.notFound), "\(identifier) is a request in \(found.bundleId), not in \(context.bundleId)",
                hints: ["name its app: --bundle-id \(found.bundleId)"])
        }
        return found
    }

    /// - Parameter named: The request as it was named, in words.
    private func only(
        _ found: [CustomerRefundRequest], _ named: String, _ context: CommandContext
    ) async throws(CLIError) -> CustomerRefundRequest {
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            throw CLIError(
                .transactionAmbiguous, "\(found.count) requests for refunds of \(named) wait",
                hints: ["name one: \(found.prefix(4).map(\.transactionIdentifier).joined(separator: ", "))"],
                details: ["refundRequests": .array(found.map { .string($0.refundRequestIdentifier) })])
        }
        let notes = if let account { await DidYouMean.notes(aboutAccount: account, context) } else { [Advice]() }
        throw CLIError(
            CLIErrorCode(.notFound), "no request for a refund of \(named) waits",
            hints: notes + [
                "all of them: storebus refund list\(AppOptions.flag(context.bundleId))",
                "make one: storebus refund request --help",
            ])
    }
}

extension CustomerRefundRequest {
    /// Identifiers that name the request.
    fileprivate var names: [String] { [refundRequestIdentifier, transactionIdentifier, transactionId] }
}

/// Requests for refunds as `storebus refund` shows them:
///
/// ```
/// open  q_01j2…  alice  2000000000000001  FULFILLMENT_ISSUE  2026-12-01 10:00:00Z
/// ```
private enum RefundRequestTable {
    static func result(_ requests: [CustomerRefundRequest]) -> CommandResult {
        let hint = requests.first.map { "storebus refund grant \($0.transactionIdentifier)" as Advice }
        return CommandResult(
            requests, ["REQUEST", "ACCOUNT", "TRANSACTION", "REASON", "REQUESTED", "CONSUMPTION"],
            named: \.refundRequestIdentifier, next: hint ?? "storebus tx list",
            ifEmpty: "no request for a refund waits"
        ) { request in
            [
                request.refundRequestIdentifier, request.account, request.transactionIdentifier,
                request.reason.rawValue, Format.time(request.requestedAt),
                request.consumption.map(JSONText.line) ?? "-",
            ]
        }
        .about(requests.first?.bundleId)
    }

    static func result(_ request: CustomerRefundRequest) -> CommandResult {
        let name = request.transactionIdentifier
        let line = [
            request.refundRequestIdentifier, request.account, name, request.reason.rawValue,
            Format.time(request.decidedAt ?? request.requestedAt),
        ]
        return CommandResult(
            data: JSONText.value(request), names: [request.refundRequestIdentifier],
            next: request.state == .open ? "storebus refund grant \(name)" : "storebus tx show \(name)"
        ) { style in
            style.paint(request.state.rawValue, request.state == .open ? .waiting : nil) + "  "
                + line.map(Table.onOneLine).joined(separator: "  ") + "\n"
        }
        .about(request.bundleId)
    }
}
