import ArgumentParser
import StoreModels

/// `storebus restore --as alice`
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back what an account has bought, as its app on a device would.",
        discussion: """
            storebus restore --as alice
            storebus restore --as alice --device alice-2

            What the account owns comes again as new transactions in state restored, on this device only: what is not \
            used up, and subscriptions that renew; never a charge. What is not finished is left out: it is in the \
            queue already. Waits for the end, 30s unless --timeout says \
            otherwise, and shows what came back. How a restore fails is the account's setting: storebus account set \
            alice --simulate restore=unknown.
            """)

    @Option(help: ArgumentHelp("Recorded with the restore; it filters nothing.", valueName: "name"))
    var applicationUsername: String?

    @Option(help: ArgumentHelp("The same key again gives the same restore.", valueName: "key"))
    var idempotencyKey: String?

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let run = RestoreRun(
            installation: account.installation(context), applicationUsername: applicationUsername,
            key: idempotencyKey ?? "cli-\(Secret.make().prefix(32))", timeout: context.timeLimit ?? .seconds(30))
        let outcome = try await context.progress.during("restoring") { () throws(CLIError) in
            try await run.run(context)
        }
        context.print(outcome.answer)
        if outcome.status != .success { throw QuietExit(status: outcome.status) }
    }
}
