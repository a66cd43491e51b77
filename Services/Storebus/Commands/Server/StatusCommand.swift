import ArgumentParser
import StoreModels

/// `storebus status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say which store is used, and how its services are.",
        discussion: "storebus status -o json")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let report = try await StatusReport.gather(context)
        context.print(report.answer)
        if !report.isReady { throw QuietExit(status: .temporary) }
    }
}
