import ArgumentParser
import StoreModels

/// `storebus download …`
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Hosted content: start, pause and fetch it as an app on a device would.",
        discussion: """
            storebus download list --as alice
            storebus download fetch …0001 --as alice --to guide.zip

            A download is there from its purchase or restore until the transaction is finished, and each device has its \
            own state of it.
            """,
        subcommands: [
            DownloadListCommand.self, DownloadFetchCommand.self, DownloadStartCommand.self, DownloadPauseCommand.self,
            DownloadResumeCommand.self, DownloadCancelCommand.self,
        ])
}

/// Which download, of whom.
struct DownloadArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The download or the transaction it comes with, or the end of either's identifier.", valueName: "download"))
    var download: String

    @OptionGroup var account: AccountOptions

    /// Looks the download up and does something with it, with the session of the account's app.
    func with<Value>(
        _ context: CommandContext, _ body: (DownloadTable.Row, String) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            let transactions = try await context.api.unfinishedTransactions(token: session.token)
            let row = try DownloadLookup.find(download, of: account.account, among: transactions)
            return try await body(row, session.token)
        }
    }
}

/// `storebus download list`
struct DownloadListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the downloads of an account's unfinished transactions, as they are here.",
        discussion: "storebus download list --as alice", aliases: ["ls"])

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: account.app)
        let transactions = try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            try await context.api.unfinishedTransactions(token: session.token)
        }
        let rows = DownloadTable.rows(transactions)
        context.print(
            Answer(
                DownloadTable.table(rows), items: rows.map(\.json), names: rows.map(\.download.id),
                next: rows.first.map { DownloadTable.next($0, account: account.account) }
                    ?? "storebus tx list --as \(account.account)",
                ifEmpty: "no downloads"))
    }
}
