import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus reset`
struct ResetCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "reset", "Reset an app's store: delete the purchases of its customers, or of one.",
        """
        storebus reset --yes
        storebus reset --as alice --yes
        storebus reset --everything --yes
        storebus reset --bundle-id com.example.a --dry-run

        Deletes the transactions, entitlements, introductory offers and prompts of every account, cancels open \
        purchases that began in the store, and sets the app's clock to the wall's. Keeps the catalogue, the app's \
        settings, the accounts' settings, and devices with their settings. With --as, does so for this account \
        alone, and leaves the clock.

        --settings also clears the accounts' settings and gives the app its settings as of its import. \
        --everything also deletes the devices. Accounts and devices belong to all apps of the store. To clear the \
        settings of an account and keep its purchases use storebus account set ACCOUNT --unset all.
        """)

    @Option("Only this account's purchases.", "account", Completion.accounts, name: .customLong("as"))
    var account: String?
    @Flag(help: "Clear the settings of all accounts and of the app, too. With --as: those of the account.")
    var settings = false
    @Flag(help: "The settings, and all devices, too.") var everything = false
    @Flag(help: "Only print the deletions, without making them.") var dryRun = false
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try IdentifierRule.account.check("--as", account)
        if account != nil, everything {
            throw ValidationError("--everything is about all accounts, --as about one; leave one of them out")
        }
    }

    func run(_ context: CommandContext) async throws {
        if let account { return try await reset(account, context) }
        let counted = try await Removal.count(context)
        let reset = try await SettingsReset.find(settings || everything, devices: everything, context)
        let what = (["\(Format.count(counted, "transaction")) of \(context.bundleId)"] + reset.words)
            .joined(separator: ", ")
        if dryRun {
            let flag: ShellCommand = everything ? "--everything" : settings ? "--settings" : ""
            return context.print(
                Removal.wouldRemove(
                    what, counted, by: "storebus reset\(flag)\(AppOptions.flag(context.bundleId))"))
        }
        try context.confirm("delete \(what)")
        let reply = try await context.api.call(AppRoutes.reset, [.bundleId: context.bundleId])
        try await reset.run(context)
        let deleted = "\(Format.count(reply.removedTransactions, "transaction")) deleted"
        context.print(
            "reset  \(context.bundleId): \(([deleted] + reset.words).joined(separator: ", "))\n",
            data: [
                "bundleId": .string(context.bundleId), "removedTransactions": .integer(reply.removedTransactions),
                "cancelledIntents": .integer(reply.cancelledIntents ?? 0), "also": JSONText.value(reset.words),
            ], next: "storebus product list\(AppOptions.flag(context.bundleId))",
            notes: Removal.notes(cancelled: reply.cancelledIntents))
    }

    /// Resets one account.
    private func reset(_ account: String, _ context: CommandContext) async throws(CLIError) {
        let counted = try await Removal.count(context, account: account)
        let hasSettings = settings ? try await !context.api.settings(of: account).isEmpty : false
        if counted == 0, !hasSettings {
            let known = try await context.api.testers().map(\.account)
            guard known.containsExactly(account) else { throw await DidYouMean.accountError(account, context) }
        }
        let also = hasSettings ? ["the settings of \(account)"] : []
        let what = (["\(Format.count(counted, "transaction")) of \(account) in \(context.bundleId)"] + also)
            .joined(separator: ", ")
        if dryRun {
            let flag: ShellCommand = settings ? "--settings" : ""
            let command: Advice = "storebus reset --as \(account)\(flag)\(AppOptions.flag(context.bundleId))"
            return context.print(Removal.wouldRemove(what, counted, by: command))
        }
        try context.confirm("delete \(what)")
        let reply = try await context.api.call(
            AppRoutes.clearHistory, [.bundleId: context.bundleId], query: ["account": account])
        if hasSettings { try await context.api.call(AccountRoutes.reset, [.account: account]) }
        let deleted = "\(Format.count(reply.removed, "transaction")) deleted"
        context.print(
            "reset  \(account) in \(context.bundleId): \(([deleted] + also).joined(separator: ", "))\n",
            data: [
                "account": .string(account), "bundleId": .string(context.bundleId),
                "removedTransactions": .integer(reply.removed),
                "cancelledIntents": .integer(reply.cancelledIntents ?? 0), "also": JSONText.value(also),
            ], next: "storebus tx list --as \(account)", notes: Removal.notes(cancelled: reply.cancelledIntents))
    }
}

/// Settings that `reset --settings` and `--everything` reset besides the purchases.
struct SettingsReset: Sendable {
    /// Accounts with settings.
    private var accounts: [String] = []
    private var devices: [String] = []
    /// The app's settings after the reset. Nil keeps them.
    private var settings: AppSettings?

    /// Collects the settings without changing them.
    static func find(
        _ isWanted: Bool, devices: Bool, _ context: CommandContext
    ) async throws(CLIError) -> SettingsReset {
        var reset = SettingsReset()
        guard isWanted else { return reset }
        let testers = try await context.api.testers()
        reset.accounts = testers.filter { !TesterTable.members($0.overrides).isEmpty }.map(\.account)
        let app = try await context.app()
        let file = try await context.api.catalogFile(context.bundleId)
        let imported = AppSettings(
            name: app.settings.name,
            billingGracePeriod: file?["settings"]?["_billingGracePeriodEnabled"]?.boolValue ?? false)
        if app.settings != imported { reset.settings = imported }
        if devices { reset.devices = try await context.api.all(DeviceRoutes.list).map(\.deviceId) }
        return reset
    }

    /// `the settings of 3 accounts`
    var words: [String] {
        var words: [String] = []
        if !accounts.isEmpty { words.append("the settings of \(Format.count(accounts.count, "account"))") }
        if settings != nil { words.append("the app's settings") }
        if !devices.isEmpty { words.append(Format.count(devices.count, "device")) }
        return words
    }

    func run(_ context: CommandContext) async throws(CLIError) {
        for account in accounts { try await context.api.call(AccountRoutes.reset, [.account: account]) }
        if let settings {
            _ = try await context.api.call(AppRoutes.put, [.bundleId: context.bundleId], body: settings)
        }
        for device in devices { try await context.api.call(DeviceRoutes.delete, [.deviceId: device]) }
    }
}

/// Counts and describes deletions.
enum Removal {
    /// Maximum number of transactions counted. Beyond it the sentence understates.
    private static let countMax = 10_000

    static func count(_ context: CommandContext, account: String? = nil) async throws(CLIError) -> Int {
        var filter = try Filter([])
        try filter.add("bundleId", context.bundleId)
        try filter.add("account", account)
        return try await TransactionSearch(api: context.api, filter: filter, isFinished: nil)
            .rows(limit: countMax, after: nil).rows.count
    }

    /// Notes about further deletions.
    /// - Parameter cancelled: Number of cancelled purchases that began in the store.
    static func notes(cancelled: Int?) -> [Advice] {
        guard let cancelled, cancelled > 0 else { return [] }
        return [
            "\(Format.count(cancelled, "purchase")) that began in the store \(cancelled == 1 ? "is" : "are") cancelled"
        ]
    }

    /// - Parameter command: The command without `--dry-run`.
    static func wouldRemove(_ what: String, _ count: Int, by command: Advice) -> CommandResult {
        CommandResult("would delete  \(what)\n", data: ["wouldRemove": .integer(count)], next: command)
    }
}
