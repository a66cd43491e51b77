import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus chaos runs`
struct ChaosRunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "List the runs that broke this store, the newest first.",
        discussion: """
            storebus chaos runs

            A run reports itself to the gateway of the store that it breaks, while it goes on. The last fifty are kept.
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let runs = try await context.api.chaosRuns()
        var table = Table([
            .init("RUN"), .init("SEED", .right), .init("BEGAN"), .init("PHASE"), .init("VERDICT"),
            .init("OPERATIONS", .right), .init("FAULTS", .right), .init("LOST", .right), .init("DOUBLE", .right),
            .init("RECOVERY MS", .right),
        ])
        for run in runs {
            table.add([
                run.id, run.seed, run.startedAt.description, run.phase.rawValue, run.verdict?.rawValue ?? "-",
                "\(run.operations)", "\(run.faultCount)", run.lost.map { "\($0)" } ?? "-",
                run.doubleCharges.map { "\($0)" } ?? "-", run.worstRecoveryMilliseconds.map { "\($0)" } ?? "-",
            ])
        }
        let items = runs.map { JSONText.value($0) }
        context.print(
            CommandResult(
                table, items: items, names: runs.map(\.id), next: "storebus open",
                ifEmpty: "no run has broken this store"))
    }
}
