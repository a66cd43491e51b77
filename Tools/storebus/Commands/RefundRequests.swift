import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus refund request`
struct RefundRequestCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "request", "Ask for a refund of a purchase, as its customer does.",
        """
        storebus refund request …0001
        storebus refund request --as alice --reason FULFILLMENT_ISSUE

        --as is enough when the account has only one purchase that cost something and was not taken back. The \
        app's server gets a CONSUMPTION_REQUEST with the reason. The purchase stays as it is until the decision: \
        storebus refund grant or decline. A purchase has at most one open request.
        """)

    @OptionGroup var named: PurchaseArgument
    @Option(
        "Why: \(ConsumptionRequestReason.listed).", "reason", .list(ConsumptionRequestReason.rawValues))
    var reason = ConsumptionRequestReason.unintendedPurchase.rawValue
    @OptionGroup var options: GlobalOptions

    func validate() throws { try Choice.check("--reason", reason, among: ConsumptionRequestReason.rawValues) }

    func run(_ context: CommandContext) async throws {
        guard let reason = ConsumptionRequestReason(rawValue: reason) else { return }
        let found = try await named.named(context)
        let row = if let found { found } else { try await Self.only(of: named.account ?? "", context) }
        context.print(RefundRequestTable.result(try await Self.ask(row.transaction, reason, context)))
    }

    private static func ask(
        _ transaction: PaymentTransaction, _ reason: ConsumptionRequestReason, _ context: CommandContext
    ) async throws(CLIError) -> CustomerRefundRequest {
        do throws(CLIError) {
            return try await context.api.call(
                TransactionRoutes.openRefundRequest, [.id: transaction.id], body: RefundRequestBody(reason: reason))
        } catch  where error.is(.transactionStateInvalid) {
            let name = Format.name(transaction)
            let isOpen = error.details["refundRequestIdentifier"] != nil
            throw error.with(
                hints: isOpen
                    ? ["storebus refund grant \(name)", "storebus refund decline \(name)"] : ["storebus why \(name)"])
        }
    }

    /// Maximum number of purchases searched for the account's only one.
    private static let searchedMax = 1_000

    /// Finds the account's only purchase that was not taken back. Free ones count only if there are no others.
    private static func only(
        of account: String, _ context: CommandContext
    ) async throws(CLIError) -> TransactionTable.Row {
        var filter = try Filter([])
        try filter.add("account", account)
        try filter.add("state", TransactionState.purchased.rawValue)
        try filter.add("bundleId", context.namedApp)
        let held = try await TransactionSearch(api: context.api, filter: filter, isFinished: nil)
            .rows(limit: searchedMax, after: nil).rows.filter { $0.transaction.effectiveDate == nil }
        let paid = held.filter { $0.transaction.price?.minorUnits != 0 }
        let purchases = paid.isEmpty ? held : paid
        if purchases.count == 1 { return purchases[0] }
        guard purchases.isEmpty else {
            let transactions = purchases.map(\.transaction)
            throw CLIError(
                .transactionAmbiguous, "\(purchases.count) purchases of \(account) can be refunded",
                hints: [TransactionLookup.choice(of: transactions)],
                details: ["transactions": .array(transactions.map { .string($0.id) })])
        }
        throw CLIError(
            CLIErrorCode(.notFound), "\(account) has no purchase that can be refunded",
            hints: await DidYouMean.notes(aboutAccount: account, context)
                + ["its purchases: storebus tx list --as \(account)"])
    }
}

/// `storebus refund list`
struct RefundListCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "list", "List an app's requests for refunds that wait for a decision, oldest first.", "storebus refund list",
        aliases: ["ls"])

    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let open = try await context.api.all(TransactionRoutes.refundRequests, [.bundleId: context.bundleId])
        context.print(RefundRequestTable.result(open))
    }
}

/// `storebus refund grant`
struct RefundGrantCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "grant", "Grant a request for a refund, as a whole or in part.",
        """
        storebus refund grant …0001
        storebus refund grant --as alice
        storebus refund grant …0001 --percent 33.5

        Name the request by its own identifier or by its purchase's. --as is enough when the account has only one \
        open request. The app's server gets a REFUND with the part that is given back. A part is rounded down to \
        the currency's smallest unit: 33.333 percent of 9.99 USD are 3.32 USD.
        """)

    @OptionGroup var named: RefundRequestArgument
    @Option("The part of the price to give back. Default: all of it.", "percent") var percent: Percentage?
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let request = try await named.find(context)
        let share = percent?.share
        let granted = try await context.api.call(
            TransactionRoutes.grantRefundRequest,
            [.refundRequestIdentifier: request.refundRequestIdentifier], body: share)
        let refunded = try? await context.api.call(TransactionRoutes.find, [.id: granted.transactionId]).transaction
        var result = RefundRequestTable.result(granted, of: refunded)
        if request.state == .granted { result.notes.append("it was granted before, and nothing has changed") }
        context.print(result)
    }
}

/// `storebus refund decline`
struct RefundDeclineCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "decline", "Decline a request for a refund.",
        """
        storebus refund decline …0001
        storebus refund decline --as alice

        The purchase stays as it is. The app's server gets a REFUND_DECLINED.
        """)

    @OptionGroup var named: RefundRequestArgument
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

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

    /// Returns the percentage nearest below a fraction: `33.333` for `1/3`.
    /// - Returns: Nil for any other text.
    static func ofFraction(_ text: String) -> String? {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let part = numbers[0], let whole = numbers[1], (1...1_000_000).contains(whole),
            (1...whole).contains(part)
        else { return nil }
        let percent = Format.percent(part * 100_000 / whole).dropLast(2)
        return Percentage(argument: String(percent)) == nil ? nil : String(percent)
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
        try await DidYouMean.notAccount(account == nil ? request : nil, context) { () throws(CLIError) in
            try await search(context)
        }
    }

    private func search(_ context: CommandContext) async throws(CLIError) -> CustomerRefundRequest {
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

    /// - Parameter transaction: The purchase after a decision, if it is known.
    static func result(_ request: CustomerRefundRequest, of transaction: PaymentTransaction? = nil) -> CommandResult {
        let name = request.transactionIdentifier
        let part = transaction.flatMap { Format.refundedPart($0) }
        let line =
            [
                request.refundRequestIdentifier, request.account, name, request.reason.rawValue,
                Format.time(request.decidedAt ?? request.requestedAt),
            ] + (part.map { [$0] } ?? [])
        let data = JSONText.value(request).with([
            "refunded": part.map { .string($0) },
            "revocationPercentage": transaction?.revocationPercentage.map { .integer($0) },
            "price": transaction?.price.map { JSONText.value($0) },
        ])
        return CommandResult(
            data: data, names: [request.refundRequestIdentifier],
            next: request.state == .open ? "storebus refund grant \(name)" : "storebus tx show \(name)"
        ) { style in
            style.paint(request.state.rawValue, request.state == .open ? .waiting : nil) + "  "
                + line.map(Table.onOneLine).joined(separator: "  ") + "\n"
        }
        .about(request.bundleId)
    }
}
