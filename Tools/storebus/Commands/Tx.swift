import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus tx …`
struct TxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "tx", "Transactions: look at them, watch, finish and delete them.",
        """
        storebus tx list --as alice
        storebus tx show …0001
        storebus tx delete …0001 --yes
        """, subcommands: [List.self, Show.self, WatchCommand.self, FinishCommand.self, TxDeleteCommand.self])

    /// `storebus tx list`
    struct List: AsyncParsableCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List transactions, of all accounts or of one.",
            """
            storebus tx list --as alice --unfinished
            storebus tx list 'state=refunded product~pro. since=10d'

            A filter has terms name=value (equals) and name~text (contains): account, bundleId, device, product, \
            state, id, finished=yes|no, and since with a time by the app's clock such as 10m, 36h or 3mo.
            """, aliases: ["ls"])

        @Argument("Which ones, such as state=deferred product~pro.", "filter") var filter: [String] = []
        @OptionGroup var owner: AccountFilter
        @Option("Only this app's.", "id") var bundleId: String?
        @Option("Only in this state: \(Filter.states.joined(separator: ", ")).", "state", .list(Filter.states))
        var state: String?
        @Flag(help: "Only unfinished transactions.") var unfinished = false
        @OptionGroup var page: PageOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            var filter = try Filter(filter)
            try filter.add("account", owner.account)
            try filter.add("state", state)
            let context = try CommandContext.find(global, bundleId: bundleId)
            if filter.exact("bundleId") == nil || bundleId != nil { try filter.add("bundleId", context.namedApp) }
            let (rows, after) = try await TransactionSearch(
                api: context.api, filter: filter, isFinished: unfinished ? false : nil
            ).rows(limit: page.limit, after: page.after)
            var result = CommandResult(
                TransactionTable.table(rows), items: rows.map(\.json), names: rows.map { Format.name($0.transaction) },
                next: after.map { next(filter, after: $0) } ?? TransactionTable.next(rows), after: after,
                ifEmpty: "no transactions")
            result.app = rows.first { !$0.isFinished }?.bundleId
            if rows.isEmpty, context.namedApp != nil { _ = try await context.app() }
            if rows.isEmpty, await context.appIfAny() == nil { result.next = "storebus app list" }
            if rows.isEmpty, let account = filter.exact("account") {
                result.notes = await DidYouMean.notes(aboutAccount: account, context)
            }
            context.print(result)
        }

        /// The same command from the cursor on.
        private func next(_ filter: Filter, after: String) -> Advice {
            let option: ShellCommand = unfinished ? "--unfinished" : ""
            return "storebus tx list \(words: filter.words)\(option) --after \(after)"
        }
    }

    /// `storebus tx show`
    struct Show: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "show", "Show one transaction with all its members.", "storebus tx show …0001")

        @OptionGroup var named: TransactionArgument
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let row = try await TransactionSearch.find(named.transaction, context)
            context.print(TransactionInfo(row: row).result)
        }
    }
}

/// `storebus tx delete`
struct TxDeleteCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        "delete", "Delete one transaction, as if it had never existed.",
        """
        storebus tx delete …0001 --yes
        storebus tx delete …0001 --dry-run

        Also deletes the entitlement, the introductory offer and the open prompt, and notifies observers of the \
        removal. Cancels a charge that is under way first.
        """)

    @OptionGroup var named: TransactionArgument
    @Flag(help: "Only print the deletions, without making them.") var dryRun = false
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let row = try await TransactionSearch.find(named.transaction, context, isChange: true)
        let transaction = row.transaction
        let name = Format.name(transaction)
        let what =
            "\(name)  \(transaction.payment.productIdentifier)  \(transaction.transactionState.rawValue)"
            + "  of \(row.account)"
        if dryRun {
            let members = row.json.with(["wouldDelete": .bool(true)])
            return context.print(
                "would delete  \(what)\n", data: members, names: [name], next: "storebus tx delete \(name)")
        }
        try context.confirm("delete \(name) (\(transaction.payment.productIdentifier)) of \(row.account)")
        try await context.api.call(TransactionRoutes.delete, [.id: transaction.id])
        context.print(
            "deleted  \(what)\n", data: row.json, names: [name], next: "storebus tx list --as \(row.account)")
    }
}

/// `storebus finish TRANSACTION --as alice`
struct FinishCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "finish", "Finish a transaction, so that the store does not send it again.",
        """
        storebus finish …0001 --as alice
        storebus tx finish …0001 --as alice

        Cancels a download of the transaction that is not complete, and says so.
        """)

    @OptionGroup var named: TransactionArgument
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let installation = account.installation(context)
        let deadline = ContinuousClock.now + (context.timeLimit ?? .seconds(10))
        let finished = try await Retry.run(until: deadline) { () throws(CLIError) in
            try await Self.finish(named.transaction, installation, context)
        }
        let next: Advice = "storebus tx list --as \(account.account)"
        let text = "finished   \(Format.name(finished))  \(finished.payment.productIdentifier)\n"
        context.print(
            text, data: JSONText.value(finished), names: [Format.name(finished)], next: next,
            notes: (finished.warnings ?? []).map { Advice(Format.warning($0)) })
    }

    /// Searches the unfinished transactions, then the history, because finishing again is not an error.
    static func finish(
        _ text: String, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        let api = context.api
        return try await context.sessions.with(installation) { session throws(CLIError) in
            let token = session.token
            let unfinished = try await api.all(TransactionRoutes.unfinished, token: token)
            var found = try TransactionLookup.find(text, among: unfinished, isChange: true)
            var known = unfinished
            if found == nil {
                known += try await api.all(TransactionRoutes.history, token: token)
                found = try TransactionLookup.find(text, among: known, isChange: true)
            }
            guard let found else {
                throw TransactionLookup.unknown(text, of: installation.account, among: known)
            }
            return try await api.call(TransactionRoutes.finish, [.id: found.id], token: token)
        }
    }
}

/// Looks through all accounts' transactions, page by page.
struct TransactionSearch: Sendable {
    let api: StoreAPI
    let filter: Filter
    let isFinished: Bool?

    /// Maximum number of transactions searched for one.
    private static let searchedMax = 20_000

    /// - Returns: At most `limit` rows, and the cursor of the next page.
    func rows(
        limit: Int, after start: String?
    ) async throws(CLIError) -> (rows: [TransactionTable.Row], after: String?) {
        var rows: [TransactionTable.Row] = []
        var clocks: [ExactText: Timestamp] = [:]  // keys: apps
        var after = start
        repeat {
            let page = try await api.call(
                TransactionRoutes.search,
                query: [
                    "bundleId": filter.exact("bundleId"), "account": filter.exact("account"),
                    "state": storedState, "finished": storedFinished.map { "\($0)" }, "after": after,
                    "limit": "\(min(100, limit - rows.count))",
                ])
            for row in Self.rows(page) {
                let app = ExactText(row.bundleId)
                if filter.needsClock, clocks[app] == nil {
                    clocks[app] = try await api.call(ClockRoutes.get, [.bundleId: row.bundleId]).now
                }
                let isMatching = filter.matches(
                    row.transaction, account: row.account, bundleId: row.bundleId, isFinished: row.isFinished,
                    now: clocks[app])
                if isMatching { rows.append(row) }
            }
            after = page.after
        } while after != nil && rows.count < limit
        return (rows, after)
    }

    /// The state by which the store chooses. Nil for withdrawals, which leave each transaction its own state.
    private var storedState: String? {
        filter.exact("state").flatMap { PaymentTransaction.Withdrawal(rawValue: $0) == nil ? $0 : nil }
    }

    /// Whether the store chooses finished or unfinished transactions. Nil for both.
    private var storedFinished: Bool? { isFinished ?? filter.exact("finished").map { $0 == "yes" } }

    /// Pairs the page's transactions with their records.
    static func rows(_ page: TransactionsPage) -> [TransactionTable.Row] {
        zip(page.transactions, page.records ?? []).map { TransactionTable.Row(transaction: $0, record: $1) }
    }

    /// Finds the transaction a command names: a whole identifier is asked for, the end of one is searched.
    /// - Parameter isChange: Whether the command changes it.
    /// - Throws: `transactionAmbiguous`, `usage` for too short an end, or `notFound` with the nearest one.
    static func find(
        _ text: String, _ context: CommandContext, isChange: Bool = false
    ) async throws(CLIError) -> TransactionTable.Row {
        if TransactionLookup.isWhole(text) {
            do throws(CLIError) {
                let found = try await context.api.call(TransactionRoutes.find, [.id: text])
                return TransactionTable.Row(transaction: found.transaction, record: found.record)
            } catch  where error.is(.notFound) {
                // The search below names the nearest one.
            }
        }
        let search = TransactionSearch(
            api: context.api, filter: try Filter([]), isFinished: nil)
        let rows = try await search.rows(limit: searchedMax, after: nil).rows
        let transactions = rows.map(\.transaction)
        guard let found = try TransactionLookup.find(text, among: transactions, isChange: isChange),
            let row = rows.first(where: { $0.transaction.id == found.id })
        else { throw TransactionLookup.unknown(text, of: nil, among: transactions) }
        return row
    }
}

/// Finds a transaction by its identifier or the identifier's end.
enum TransactionLookup {
    /// - Parameters:
    ///   - text: `2000000000000001`, `…0001`, `0001`, or the store's own `id`.
    ///   - isChange: Whether the command changes the transaction.
    /// - Returns: Nil if no transaction matches.
    /// - Throws: `transactionAmbiguous` with the candidates when several do, or `usage` for too short an end.
    static func find(
        _ text: String, among transactions: [PaymentTransaction], isChange: Bool = false
    ) throws(CLIError) -> PaymentTransaction? {
        let typed = TypedIdentifier(text)
        let wanted = typed.wanted
        guard !wanted.isEmpty else {
            throw CLIError(
                .usage, "a transaction is named by its identifier or its end", hints: ["all of them: storebus tx list"])
        }
        if let exact = transactions.first(where: { $0.id == wanted || $0.transactionIdentifier.isExactly(wanted) }) {
            return exact
        }
        let matches = transactions.filter { typed.isEnd(of: $0.id) || typed.isEnd(of: $0.transactionIdentifier) }
        if isChange { try typed.checkLength(of: matches.map { Format.name($0) }) }
        guard matches.count <= 1 else {
            throw CLIError(
                .transactionAmbiguous, "'\(text)' is the end of \(matches.count) transactions",
                hints: ["give more of it: \(matches.prefix(4).map { Format.name($0) }.joined(separator: ", "))"],
                details: ["transactions": .array(matches.map { .string($0.id) })])
        }
        return matches.first
    }

    /// The remedy that names transactions by the shortest ends that tell them apart, each with its product.
    static func choice(of transactions: [PaymentTransaction]) -> Advice {
        let names = transactions.map { Format.name($0) }
        let length = (TypedIdentifier.changedEndMin...).first { length in
            Set(names.map { $0.suffix(length) }).count == names.count || names.allSatisfy { $0.count <= length }
        }
        let choices = zip(names, transactions).prefix(4).map { name, transaction in
            let end = name.suffix(length ?? name.count)
            return "\(end.count < name.count ? "…" : "")\(end) (\(transaction.payment.productIdentifier))"
        }
        return "name one: \(choices.joined(separator: ", "))"
    }

    /// Tells whether a text is a whole identifier: `t_` and 26 characters, or the digits of a number of the store's.
    static func isWhole(_ text: String) -> Bool {
        text.hasPrefix("t_")
            ? text.utf8.count == 28 : text.utf8.count >= 16 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The error for an unknown transaction, with the nearest identifier.
    static func unknown(
        _ text: String, of account: String?, among known: [PaymentTransaction]
    ) -> CLIError {
        let near = Suggestion.hints(
            for: TypedIdentifier(text).wanted, among: known.map { Format.name($0) } + known.map(\.id))
        let whose: ShellCommand = account.map { "--as \($0)" } ?? ""
        return CLIError(
            CLIErrorCode(.notFound), "\(account ?? "the store") has no transaction '\(text)'",
            hints: near + ["all of them: storebus tx list\(whose)"])
    }
}
