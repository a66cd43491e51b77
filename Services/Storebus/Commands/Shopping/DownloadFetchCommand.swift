import ArgumentParser
import StoreModels

/// `storebus download fetch`
struct DownloadFetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Fetch a download's content into a file, from start to finish.",
        discussion: """
            storebus download fetch …0001 --as alice
            storebus download fetch …0001 --as alice --device alice-2 --to guide.zip

            Starts or resumes the download, fetches the content and says that it is finished. What has come so far is \
            kept beside the file, with .part behind its name: the same command goes on where it stopped, whatever \
            stopped it. A lost connection is made again, for 30s without a byte unless --timeout says otherwise.
            """)

    @OptionGroup var named: DownloadArguments

    @Option(
        help: ArgumentHelp("The file. Default: <content>-<version> here.", valueName: "file"), completion: .file())
    var to: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: named.account.app)
        let row = try await named.with(context) { row, token throws(CLIError) in
            try await started(row, context, token)
        }
        if row.download.state == .failed {
            context.print(DownloadTable.answer(row, account: named.account.account))
            throw QuietExit(status: .purchaseFailed)
        }
        let file = PartialFile(path(row.download, context.environment.currentDirectory))
        let fetch = ContentFetch(
            installation: named.account.installation(context), download: row.download, file: file,
            patience: context.timeLimit ?? .seconds(30))
        let start = ContinuousClock.now
        let bar = TransferProgress(context.progress, length: row.download.contentLength)
        let fetched = try await bar.during { () throws(CLIError) in
            try await fetch.run(context) { bar.advance(to: $0) }
        }
        let finished = try await context.sessions.with(named.account.installation(context)) {
            session throws(CLIError) in
            try await context.api.change(row.download.id, .finish, token: session.token)
        }
        context.print(answer(DownloadTable.Row(download: finished, transaction: row.transaction), file, fetched, start))
    }

    /// The download in a state in which content may come.
    private func started(
        _ row: DownloadTable.Row, _ context: CommandContext, _ token: String
    ) async throws(CLIError) -> DownloadTable.Row {
        var row = row
        switch row.download.state {
        case .waiting, .failed: row.download = try await context.api.change(row.download.id, .start, token: token)
        case .paused: row.download = try await context.api.change(row.download.id, .resume, token: token)
        case .active, .finished: break
        case .cancelled:
            throw CLIError(
                CLIErrorCode(.downloadStateInvalid), "\(row.download.id) is cancelled, and stays so",
                hints: ["a restore brings a new one: storebus restore --as \(named.account.account)"])
        }
        return row
    }

    private func path(_ download: Download, _ directory: String) -> String {
        let name = to ?? "\(PercentEncoding.encode(download.contentIdentifier))-\(download.contentVersion)"
        return name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }

    private func answer(
        _ row: DownloadTable.Row, _ file: PartialFile, _ fetched: ContentFetch.Outcome,
        _ start: ContinuousClock.Instant
    ) -> Answer {
        var members = row.json.objectValue ?? [:]
        members["file"] = .string(file.path)
        members["bytes"] = .integer(fetched.length)
        members["beganAt"] = .integer(fetched.beganAt)
        let took = Words.delay(ContinuousClock.now - start)
        members["took"] = .string(took)
        let from = fetched.beganAt > 0 ? ", begun at \(fetched.beganAt)" : ""
        return Answer(
            "fetched  \(file.path)  \(fetched.length) bytes\(from)  in \(took)\n", data: .object(members),
            names: [file.path],
            next: DownloadTable.next(row, account: named.account.account))
    }
}
