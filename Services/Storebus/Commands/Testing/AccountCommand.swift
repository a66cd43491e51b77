import ArgumentParser
import StoreModels

/// `storebus account …`, also `storebus tester …`
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Set how accounts behave at the store.",
        discussion: """
            storebus account set alice --storefront FRA --sheet decline:paymentInvalid
            storebus account show alice
            storebus account clear alice --yes
            """,
        subcommands: [
            AccountCreateCommand.self, AccountListCommand.self, AccountShowCommand.self, AccountSetCommand.self,
            AccountResetCommand.self, AccountClearCommand.self,
        ], aliases: ["tester"])
}

/// `storebus account list`
struct AccountListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts somebody has set or that have bought.",
        discussion: "storebus account list -o names", aliases: ["ls"])

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let testers = try await context.api.testers()
        context.print(
            Answer(
                TesterTable.table(testers), items: testers.map(\.json), names: testers.map(\.account),
                next: testers.first.map { "storebus account show \($0.account)" }
                    ?? "storebus account create alice --storefront FRA",
                ifEmpty: "no accounts"))
    }
}

/// `storebus account show`
struct AccountShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show how an account behaves in an app, and what of that was set.",
        discussion: """
            storebus account show alice
            storebus account show alice --bundle-id com.example.a

            Marked (set) is what was set of the account, (app) what the app's catalogue or settings make all accounts do.
            """)

    @Argument(help: ArgumentHelp("The account.", valueName: "account"), completion: Completion.accounts)
    var account: String

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global, bundleId: app.bundleId)
        let tester = try await Known.suggestingAccount(account, context) { () throws(CLIError) in
            try await context.api.tester(account)
        }
        var answer = TesterTable.answer(tester, in: await Known.appIfAny(context))
        if TesterTable.members(tester.overrides).isEmpty {
            answer.notes += await Known.notes(aboutAccount: account, context)
        }
        context.print(answer)
    }
}
