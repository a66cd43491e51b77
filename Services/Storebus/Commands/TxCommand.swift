import ArgumentParser
import StoreModels

/// `storebus tx …`
struct TxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tx", abstract: "Look at transactions.", subcommands: [List.self])

    /// `storebus tx list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List transactions, of everybody or of one account.",
            discussion: "storebus tx list --as alice --unfinished", aliases: ["ls"])

        @Option(name: .customLong("as"), help: ArgumentHelp("Only this account's.", valueName: "account"))
        var account: String?

        @Option(help: ArgumentHelp("Only this app's.", valueName: "id"))
        var bundleId: String?

        @Option(
            help: ArgumentHelp(
                "Only in this state: \(TransactionState.allCases.map(\.rawValue).joined(separator: ", ")).",
                valueName: "state"),
            transform: { text in
                guard let state = TransactionState(rawValue: text) else {
                    throw ValidationError("'\(text)' is not a state of a transaction")
                }
                return state
            })
        var state: TransactionState?

        @Flag(help: "Only what no app has finished yet.")
        var unfinished = false

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            var filter: [(String, String)] = []
            if let account { filter.append(("account", account)) }
            if let bundleId { filter.append(("bundleId", bundleId)) }
            if let state { filter.append(("state", state.rawValue)) }
            if unfinished { filter.append(("finished", "false")) }
            let rows = try await context.api.allTransactions(filter: filter).flatMap(Self.rows)
            context.print(TransactionTable.text(rows), json: .array(rows.map(\.json)))
        }

        /// The page's transactions with the records that stand beside them.
        static func rows(_ page: TransactionsPage) -> [TransactionTable.Row] {
            zip(page.transactions, page.records ?? []).map { transaction, record in
                TransactionTable.Row(
                    transaction: transaction, account: record.account, bundleId: record.bundleId,
                    isFinished: record.isFinished)
            }
        }
    }
}
