import ArgumentParser
import StoreModels

/// `storebus finish TRANSACTION --as alice`
struct FinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Say that a transaction's goods were delivered; it is not sent again.",
        discussion: "storebus finish …0001 --as alice")

    @Argument(help: ArgumentHelp("The transaction, or the end of its identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let installation = account.installation()
        let finished = try await Patience.repeating(until: .now + .seconds(10)) { () throws(CLIError) in
            try await Self.finish(transaction, installation, context)
        }
        context.print(
            "finished   \(Words.name(finished))  \(finished.payment.productIdentifier)      "
                + "all of them: storebus tx list --as \(account.account)\n",
            json: JSONText.value(finished))
    }

    /// Looks among what is unfinished first, then in the history: finishing again is no error.
    static func finish(
        _ text: String, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        let api = context.api
        return try await context.sessions.with(installation) { session throws(CLIError) in
            let token = session.token
            var found = try TransactionLookup.find(text, among: await api.unfinishedTransactions(token: token))
            if found == nil { found = try TransactionLookup.find(text, among: await api.history(token: token)) }
            guard let found else {
                throw CLIError(
                    CLIErrorCode(.notFound), "\(installation.account) has no transaction '\(text)'",
                    hints: ["all of them: storebus tx list --as \(installation.account)"])
            }
            return try await api.finish(found.id, token: token)
        }
    }
}
