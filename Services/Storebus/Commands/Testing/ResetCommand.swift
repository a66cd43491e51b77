import ArgumentParser
import StoreModels

/// `storebus reset`
struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Begin an app's store anew: everything its customers have bought goes.",
        discussion: """
            storebus reset --yes
            storebus reset --bundle-id com.example.a --dry-run

            Transactions, entitlements, introductory offers and prompts of every account go, what began in the store and \
            is open is cancelled, and the app's clock is the wall's again. The catalogue, the app's settings, the \
            accounts' settings, and devices with what they have set stay.
            """)

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: app.bundleId)
        let counted = try await Removal.count(context)
        let what = "\(Words.count(counted, "transaction")) of \(context.bundleId)"
        if dryRun { return context.print(Removal.wouldRemove(what, counted)) }
        try context.confirm("delete \(what)")
        let reply = try await context.api.reset(context.bundleId)
        context.print(
            Answer(
                "reset  \(context.bundleId): \(Words.count(reply.removedTransactions, "transaction")) deleted\n",
                data: [
                    "bundleId": .string(context.bundleId), "removedTransactions": .integer(reply.removedTransactions),
                    "cancelledIntents": .integer(reply.cancelledIntents ?? 0),
                ], next: "storebus buy PRODUCT --as alice\(Known.option(context.bundleId))",
                notes: Removal.notes(cancelled: reply.cancelledIntents)))
    }
}
