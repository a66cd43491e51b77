import ArgumentParser
import StoreModels

/// `storebus reset`
struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Begin an app's store anew: everything its customers have bought goes.",
        discussion: """
            storebus reset --yes
            storebus reset --everything --yes
            storebus reset --bundle-id com.example.a --dry-run

            Transactions, entitlements, introductory offers and prompts of every account go, what began in the store and \
            is open is cancelled, and the app's clock is the wall's again. The catalogue, the app's settings, the \
            accounts' settings, and devices with what they have set stay.

            --settings forgets what was set of the accounts too, and gives the app the settings it had after its import; \
            --everything also deletes the devices. Accounts and devices belong to all apps of the store.
            """)

    @Flag(help: "Forget what was set of all accounts, and of the app, too.")
    var settings = false

    @Flag(help: "The settings, and all devices, too.")
    var everything = false

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let counted = try await Removal.count(context)
        let reset = try await SettingsReset.find(settings || everything, devices: everything, context)
        let what = (["\(Words.count(counted, "transaction")) of \(context.bundleId)"] + reset.words)
            .joined(separator: ", ")
        if dryRun { return context.print(Removal.wouldRemove(what, counted)) }
        try context.confirm("delete \(what)")
        let reply = try await context.api.reset(context.bundleId)
        try await reset.run(context)
        let deleted = "\(Words.count(reply.removedTransactions, "transaction")) deleted"
        context.print(
            Answer(
                "reset  \(context.bundleId): \(([deleted] + reset.words).joined(separator: ", "))\n",
                data: [
                    "bundleId": .string(context.bundleId), "removedTransactions": .integer(reply.removedTransactions),
                    "cancelledIntents": .integer(reply.cancelledIntents ?? 0), "also": JSONText.value(reset.words),
                ], next: "storebus buy PRODUCT --as alice\(Known.option(context.bundleId))",
                notes: Removal.notes(cancelled: reply.cancelledIntents)))
    }
}
