import ArgumentParser
import StoreModels

/// `storebus finish TRANSACTION --as alice`
struct FinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Say that a transaction's goods were delivered; it is not sent again.",
        discussion: """
            storebus finish …0001 --as alice
            storebus tx finish …0001 --as alice

            Hosted content that was not downloaded by then is cancelled, and the command says so.
            """)

    @Argument(
        help: ArgumentHelp("The transaction, or the end of its identifier: 0001.", valueName: "transaction"),
        completion: Completion.transactions)
    var transaction: String

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let installation = account.installation(context)
        let deadline = ContinuousClock.now + (context.timeLimit ?? .seconds(10))
        let finished = try await Patience.repeating(until: deadline) { () throws(CLIError) in
            try await Self.finish(transaction, installation, context)
        }
        let next = "storebus tx list --as \(account.account)"
        let text = "finished   \(Words.name(finished))  \(finished.payment.productIdentifier)\n"
        context.print(
            Answer(
                text, data: JSONText.value(finished), names: [Words.name(finished)], next: next,
                notes: (finished.warnings ?? []).map(Words.warning)))
    }

    /// Looks among what is unfinished first, then in the history: finishing again is no error.
    static func finish(
        _ text: String, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        let api = context.api
        return try await context.sessions.with(installation) { session throws(CLIError) in
            let token = session.token
            let unfinished = try await api.unfinishedTransactions(token: token)
            var found = try TransactionLookup.find(text, among: unfinished)
            var known = unfinished
            if found == nil {
                known += try await api.history(token: token)
                found = try TransactionLookup.find(text, among: known)
            }
            guard let found else {
                throw TransactionLookup.unknown(text, of: installation.account, among: known)
            }
            return try await api.finish(found.id, token: token)
        }
    }
}
