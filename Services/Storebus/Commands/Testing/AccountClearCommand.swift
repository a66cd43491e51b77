import ArgumentParser
import StoreModels

/// `storebus account reset`
struct AccountResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Forget what was set of an account; what it bought stays.",
        discussion: "storebus account reset alice")

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: Completion.accounts)
    var account: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        try await Known.suggestingAccount(account, context) { () throws(CLIError) in
            try await context.api.resetTester(account)
        }
        context.print(
            Answer(
                "\(account) behaves as any other account again\n", data: ["account": .string(account)],
                names: [account], next: "storebus account show \(account)"))
    }
}

/// `storebus account clear`
struct AccountClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete what an account has bought in an app.",
        discussion: """
            storebus account clear alice --yes
            storebus account clear alice --dry-run

            Its transactions, entitlements, introductory offers and prompts go, and what it began in the store and is \
            open is cancelled; its settings and sessions stay.
            """)

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: Completion.accounts)
    var account: String

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let counted = try await Removal.count(context, account: account)
        if counted == 0 {
            let known = try await context.api.testers().map(\.account)
            guard known.containsExactly(account) else { throw await Known.accountError(account, context) }
        }
        let what = "\(Words.count(counted, "transaction")) of \(account) in \(context.bundleId)"
        if dryRun { return context.print(Removal.wouldRemove(what, counted)) }
        try context.confirm("delete \(what)")
        let reply = try await context.api.clearHistory(account, bundleId: context.bundleId)
        context.print(
            Answer(
                "deleted  \(Words.count(reply.removed, "transaction")) of \(account)\n", data: JSONText.value(reply),
                next: "storebus tx list --as \(account)", notes: Removal.notes(cancelled: reply.cancelledIntents)))
    }
}
