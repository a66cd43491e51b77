import ArgumentParser
import StoreModels

/// `storebus tx delete`
struct TxDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete one transaction, as if it had never been.",
        discussion: """
            storebus tx delete …0001 --yes
            storebus tx delete …0001 --dry-run

            What it gave goes with it: the entitlement, the introductory offer, the question that waits. Observers are \
            told that it was removed. A charge that is under way is taken back first.
            """)

    @OptionGroup var named: TransactionArgument

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let row = try await TransactionSearch.find(named.transaction, context)
        let transaction = row.transaction
        let name = Words.name(transaction)
        let what =
            "\(name)  \(transaction.payment.productIdentifier)  \(transaction.transactionState.rawValue)  of \(row.account)"
        if dryRun {
            var members = row.json.objectValue ?? [:]
            members["wouldDelete"] = .bool(true)
            return context.print(
                Answer(
                    "would delete  \(what)\n", data: .object(members), names: [name],
                    next: "the same without --dry-run"))
        }
        try context.confirm("delete \(name) (\(transaction.payment.productIdentifier)) of \(row.account)")
        try await context.api.deleteTransaction(transaction.id)
        context.print(
            Answer(
                "deleted  \(what)\n", data: row.json, names: [name], next: "storebus tx list --as \(row.account)"))
    }
}
