import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus download …`
struct DownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "download", "Hosted content: start, pause and fetch it as an app on a device would.",
        """
        storebus download list --as alice
        storebus download fetch …0001 --as alice --to guide.zip

        A download exists from its purchase or restore until the transaction is finished. Each device has its own \
        state of it.
        """,
        subcommands: [
            DownloadListCommand.self, DownloadFetchCommand.self, DownloadStart.Command.self, DownloadPause.Command.self,
            DownloadResume.Command.self, DownloadCancel.Command.self,
        ])
}

/// The argument that names a download.
struct DownloadArgument: ParsableArguments {
    @Argument("The download or the transaction it comes with, or the end of either's identifier.", "download")
    var download: String
}

/// A command about one download of an account's app.
protocol OneDownloadCommand: OneAppCommand {
    var named: DownloadArgument { get }
    var account: AccountOptions { get }
}

extension OneDownloadCommand {
    /// Finds the download and runs the body with the session of the account's app.
    func withDownload<Value>(
        _ context: CommandContext, _ body: (DownloadTable.Row, String) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            let transactions = try await context.api.all(TransactionRoutes.unfinished, token: session.token)
            let row = try DownloadLookup.find(named.download, of: account.account, among: transactions)
            return try await body(row, session.token)
        }
    }
}

/// `storebus download list`
struct DownloadListCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "list", "List the downloads of an account's unfinished transactions, as they are here.",
        "storebus download list --as alice", aliases: ["ls"])

    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let transactions = try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            try await context.api.all(TransactionRoutes.unfinished, token: session.token)
        }
        let rows = DownloadTable.rows(transactions)
        context.print(DownloadTable.result(rows, account: account.account))
    }
}

/// `storebus download fetch`
struct DownloadFetchCommand: OneDownloadCommand {
    static let configuration = CommandConfiguration(
        "fetch", "Fetch a download's content into a file, from start to finish.",
        """
        storebus download fetch …0001 --as alice
        storebus download fetch …0001 --as alice --device alice-2 --to guide.zip

        Starts or resumes the download, fetches the content and reports it finished. A partial download stays in \
        a file of the same name with .part behind it. Run the same command to resume, even after a crash. The \
        command reconnects after a lost connection, for 30s without a byte unless --timeout says otherwise.
        """)

    @OptionGroup var named: DownloadArgument
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @Option("The file. Default: <content>-<version> here.", "file", .file()) var to: String?
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let row = try await withDownload(context) { row, token throws(CLIError) in
            try await started(row, context, token)
        }
        if row.download.state == .failed {
            context.print(DownloadTable.result(row, account: account.account))
            throw QuietExit(status: .purchaseFailed)
        }
        let file = PartialFile(path(row.download, context.environment.currentDirectory))
        let fetch = ContentFetch(
            installation: account.installation(context), download: row.download, file: file,
            timeout: context.timeLimit ?? .seconds(30))
        let start = ContinuousClock.now
        let bar = TransferProgress(context.progress, length: row.download.contentLength)
        let fetched = try await bar.during { () throws(CLIError) in
            try await fetch.run(context) { bar.advance(to: $0) }
        }
        let finished = try await context.sessions.with(account.installation(context)) {
            session throws(CLIError) in
            try await context.api.call(
                DownloadRoutes.update(.finish), [.id: row.download.id], token: session.token)
        }
        context.print(result(DownloadTable.Row(download: finished, transaction: row.transaction), file, fetched, start))
    }

    /// Brings the download into a state that serves content.
    private func started(
        _ row: DownloadTable.Row, _ context: CommandContext, _ token: String
    ) async throws(CLIError) -> DownloadTable.Row {
        switch row.download.state {
        case .waiting, .failed: return try await row.changed(.start, context, token)
        case .paused: return try await row.changed(.resume, context, token)
        case .active, .finished: return row
        case .cancelled:
            throw CLIError(
                CLIErrorCode(.downloadStateInvalid), "\(row.download.id) is cancelled, and stays so",
                hints: ["a restore brings a new one: storebus restore --as \(account.account)"])
        }
    }

    private func path(_ download: Download, _ directory: String) -> String {
        let name = to ?? "\(PercentEncoding.encode(download.contentIdentifier))-\(download.contentVersion)"
        return name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }

    private func result(
        _ row: DownloadTable.Row, _ file: PartialFile, _ fetched: ContentFetch.Outcome,
        _ start: ContinuousClock.Instant
    ) -> CommandResult {
        let took = Format.delay(ContinuousClock.now - start)
        let members = row.json.with([
            "file": .string(file.path), "bytes": .integer(fetched.length), "beganAt": .integer(fetched.beganAt),
            "took": .string(took),
        ])
        let from = fetched.beganAt > 0 ? ", begun at \(fetched.beganAt)" : ""
        return CommandResult(
            "fetched  \(file.path)  \(fetched.length) bytes\(from)  in \(took)\n", data: members,
            names: [file.path], next: DownloadTable.next(row, account: account.account))
    }
}

/// A verb of `storebus download` that changes one download's state on one device.
///
/// It is a type, because the parser identifies commands by type.
protocol DownloadVerb: Sendable {
    static var action: DownloadAction { get }
    static var help: CommandConfiguration { get }
}

extension DownloadVerb {
    typealias Command = DownloadVerbCommand<Self>
}

/// The command of one verb.
struct DownloadVerbCommand<Verb: DownloadVerb>: OneDownloadCommand {
    static var configuration: CommandConfiguration { Verb.help }

    @OptionGroup var named: DownloadArgument
    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let row = try await withDownload(context) { row, token throws(CLIError) in
            try await row.changed(Verb.action, context, token)
        }
        context.print(DownloadTable.result(row, account: account.account))
        // The account's settings may make downloads fail.
        if row.download.state == .failed { throw QuietExit(status: .purchaseFailed) }
    }
}

enum DownloadStart: DownloadVerb {
    static let action = DownloadAction.start
    static let help = CommandConfiguration(
        "start", "Start a download, or restart a failed one, without fetching it.",
        "storebus download start …0001 --as alice")
}

enum DownloadPause: DownloadVerb {
    static let action = DownloadAction.pause
    static let help = CommandConfiguration("pause", "Pause a download.", "storebus download pause …0001 --as alice")
}

enum DownloadResume: DownloadVerb {
    static let action = DownloadAction.resume
    static let help = CommandConfiguration(
        "resume", "Let a paused download go on.", "storebus download resume …0001 --as alice")
}

enum DownloadCancel: DownloadVerb {
    static let action = DownloadAction.cancel
    static let help = CommandConfiguration(
        "cancel", "Cancel a download for good.", "storebus download cancel …0001 --as alice")
}

/// Finds a download among an app's unfinished transactions.
enum DownloadLookup {
    /// - Parameter text: The download's identifier or its end, or that of a transaction with one download.
    /// - Throws: `usage` if several match, `notFound` with the nearest one.
    static func find(
        _ text: String, of account: String, among transactions: [PaymentTransaction]
    ) throws(CLIError) -> DownloadTable.Row {
        let rows = DownloadTable.rows(transactions)
        let typed = TypedIdentifier(text)
        let wanted = typed.wanted
        if let exact = rows.first(where: { $0.download.id == wanted }) { return exact }
        let matches = rows.filter {
            typed.isEnd(of: $0.download.id) || typed.isEnd(of: Format.name($0.transaction))
                || $0.transaction.id == wanted
        }
        guard let found = matches.first else { throw unknown(text, wanted, of: account, rows, transactions) }
        guard matches.count == 1 else {
            throw CLIError(
                .usage, "'\(text)' is the end of \(matches.count) downloads",
                hints: ["give more of it: \(matches.prefix(4).map(\.download.id).joined(separator: ", "))"])
        }
        return found
    }

    private static func unknown(
        _ text: String, _ wanted: String, of account: String, _ rows: [DownloadTable.Row],
        _ transactions: [PaymentTransaction]
    ) -> CLIError {
        let list: Advice = "all of them: storebus download list --as \(account)"
        if let transaction = try? TransactionLookup.find(text, among: transactions) {
            let product = transaction.payment.productIdentifier
            return CLIError(
                CLIErrorCode(.notFound),
                "\(Format.name(transaction)) has no download: \(product) is not a hosted product",
                hints: [list])
        }
        let near = Suggestion.hints(for: wanted, among: rows.map(\.download.id))
        return CLIError(
            CLIErrorCode(.notFound), "\(account) has no download '\(text)' of an unfinished transaction",
            hints: near + [list])
    }
}

/// Downloads as `storebus download` shows them.
enum DownloadTable {
    /// A download with its transaction.
    struct Row: Hashable, Sendable {
        var download: Download
        var transaction: PaymentTransaction

        /// Returns the download after an action.
        func changed(
            _ action: DownloadAction, _ context: CommandContext, _ token: String
        ) async throws(CLIError) -> Row {
            let changed = try await context.api.call(DownloadRoutes.update(action), [.id: download.id], token: token)
            return Row(download: changed, transaction: transaction)
        }

        /// The download's members and the identifier of its transaction.
        var json: JSONValue {
            JSONText.value(download).with([
                "transactionIdentifier": .string(Format.name(transaction)),
                "productIdentifier": .string(transaction.payment.productIdentifier),
            ])
        }
    }

    static func rows(_ transactions: [PaymentTransaction]) -> [Row] {
        transactions.flatMap { transaction in
            transaction.downloads.map { Row(download: $0, transaction: transaction) }
        }
    }

    static func result(_ rows: [Row], account: String) -> CommandResult {
        CommandResult(
            rows, ["DOWNLOAD", .state("STATE"), "CONTENT", "VERSION", .right("BYTES"), "TRANSACTION", "REMARKS"],
            named: \.download.id, json: \.json,
            next: rows.first.map { next($0, account: account) } ?? "storebus tx list --as \(account)",
            ifEmpty: "no downloads"
        ) { row in
            let download = row.download
            return [
                download.id, download.state.rawValue, download.contentIdentifier, download.contentVersion,
                "\(download.contentLength)", Format.name(row.transaction), remarks(download),
            ]
        }
    }

    /// `d_01j…  waiting  com.example.guide 1.0, 73412 bytes`
    static func line(_ download: Download) -> String {
        let content =
            "\(download.contentIdentifier) \(download.contentVersion), \(Format.size(download.contentLength))"
        return [download.id, download.state.rawValue, content, remarks(download)].filter { !$0.isEmpty }
            .joined(separator: "  ")
    }

    /// Describes a change of state.
    static func result(_ row: Row, account: String) -> CommandResult {
        let download = row.download
        let state = download.state.rawValue
        let rest = line(download)
        return CommandResult(data: row.json, names: [download.id], next: next(row, account: account)) { style in
            let words = rest.split(separator: " ", omittingEmptySubsequences: false)
            return words.map { $0 == state ? style.paint(state, .of(state: state)) : String($0) }
                .joined(separator: " ") + "\n"
        }
    }

    /// The next command after it.
    static func next(_ row: Row, account: String) -> Advice {
        let download = row.download
        return switch download.state {
        case .waiting, .active, .failed: "storebus download fetch \(download.id) --as \(account)"
        case .paused: "storebus download resume \(download.id) --as \(account)"
        case .finished, .cancelled: Advice(command: Format.finish(row.transaction, as: account))
        }
    }

    private static func remarks(_ download: Download) -> String {
        download.error.map { "\($0.name) (\($0.code))" } ?? ""
    }
}
