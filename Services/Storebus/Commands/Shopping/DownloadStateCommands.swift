import ArgumentParser
import StoreModels

/// `storebus download start`
struct DownloadStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a download, or one that failed again; nothing is fetched.",
        discussion: "storebus download start …0001 --as alice")

    @OptionGroup var named: DownloadArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await DownloadChange(named: named, action: .start).run(global) }
}

/// `storebus download pause`
struct DownloadPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a download.", discussion: "storebus download pause …0001 --as alice")

    @OptionGroup var named: DownloadArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await DownloadChange(named: named, action: .pause).run(global) }
}

/// `storebus download resume`
struct DownloadResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused download go on.",
        discussion: "storebus download resume …0001 --as alice")

    @OptionGroup var named: DownloadArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await DownloadChange(named: named, action: .resume).run(global) }
}

/// `storebus download cancel`
struct DownloadCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a download for good.",
        discussion: "storebus download cancel …0001 --as alice")

    @OptionGroup var named: DownloadArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await DownloadChange(named: named, action: .cancel).run(global) }
}

/// A change of one download's state on one device.
struct DownloadChange {
    let named: DownloadArguments
    let action: DownloadAction

    func run(_ global: GlobalOptions) async throws {
        let context = try await CommandContext.find(global, app: named.account.app)
        let row = try await named.with(context) { row, token throws(CLIError) in
            var row = row
            row.download = try await context.api.change(row.download.id, action, token: token)
            return row
        }
        context.print(DownloadTable.answer(row, account: named.account.account))
        // A tester may be set so that downloads fail.
        if row.download.state == .failed { throw QuietExit(status: .purchaseFailed) }
    }
}
