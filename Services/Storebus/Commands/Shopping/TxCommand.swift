import ArgumentParser
import StoreModels

/// `storebus tx …`
struct TxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tx", abstract: "Transactions: look at them, watch, finish and delete them.",
        discussion: """
            storebus tx list --as alice
            storebus tx show …0001
            storebus tx delete …0001 --yes
            """,
        subcommands: [List.self, Show.self, WatchCommand.self, FinishCommand.self, TxDeleteCommand.self])

    /// `storebus tx list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List transactions, of everybody or of one account.",
            discussion: """
                storebus tx list --as alice --unfinished
                storebus tx list 'state=deferred product~pro. since=10m'

                A filter has terms name=value (exactly) and name~text (somewhere in it): account, bundleId, product, \
                state, id, and since with a time such as 10m.
                """, aliases: ["ls"])

        @Argument(help: ArgumentHelp("Which ones, such as state=deferred product~pro.", valueName: "filter"))
        var filter: [String] = []

        @Option(
            name: .customLong("as"), help: ArgumentHelp("Only this account's.", valueName: "account"),
            completion: Completion.accounts)
        var account: String?

        @Option(help: ArgumentHelp("Only this app's.", valueName: "id"))
        var bundleId: String?

        @Option(
            help: ArgumentHelp(
                "Only in this state: \(TransactionState.allCases.map(\.rawValue).joined(separator: ", ")).",
                valueName: "state"), completion: .list(TransactionState.allCases.map(\.rawValue)))
        var state: String?

        @Flag(help: "Only what no app has finished yet.")
        var unfinished = false

        @OptionGroup var page: PageOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            var filter = try Filter(filter)
            try filter.add("account", account)
            try filter.add("state", state)
            let context = try CommandContext.find(global, bundleId: bundleId)
            if filter.exact("bundleId") == nil || bundleId != nil { try filter.add("bundleId", context.namedApp) }
            let (rows, after) = try await TransactionSearch(
                api: context.api, filter: filter, isFinished: unfinished ? false : nil, now: .wallClock()
            ).rows(limit: page.limit, after: page.after)
            var answer = Answer(
                TransactionTable.table(rows), items: rows.map(\.json), names: rows.map { Words.name($0.transaction) },
                next: after.map { next(filter, after: $0) } ?? TransactionTable.next(rows), after: after,
                ifEmpty: "no transactions")
            answer.app = rows.first { !$0.isFinished }?.bundleId
            if rows.isEmpty, context.namedApp != nil { _ = try await Known.app(context) }
            if rows.isEmpty, let account = filter.exact("account") {
                answer.notes = await Known.notes(aboutAccount: account, context)
            }
            context.print(answer)
        }

        /// The same question, from there on.
        private func next(_ filter: Filter, after: String) -> String {
            (["storebus tx list"] + filter.words + (unfinished ? ["--unfinished"] : []) + ["--after \(after)"])
                .joined(separator: " ")
        }
    }

    /// `storebus tx show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one transaction, whole.",
            discussion: "storebus tx show …0001")

        @Argument(
            help: ArgumentHelp("The transaction, or the end of its identifier: 0001.", valueName: "transaction"),
            completion: Completion.transactions)
        var transaction: String

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let row = try await TransactionSearch.find(transaction, context)
            context.print(TransactionFacts(row: row).answer)
        }
    }
}
