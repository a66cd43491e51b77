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
        let runs = try await context.api.call(BusRoutes.runs).runs
        let table = Table(
            [
                "RUN", .right("SEED"), "BEGAN", "PHASE", "VERDICT", .right("OPERATIONS"), .right("FAULTS"),
                .right("LOST"), .right("DOUBLE"), .right("RECOVERY MS"),
            ], runs
        ) { run in
            [
                run.id, run.seed, run.startedAt.description, run.phase.rawValue, run.verdict?.rawValue ?? "-",
                "\(run.operations)", "\(run.faultCount)", run.lost.map { "\($0)" } ?? "-",
                run.doubleCharges.map { "\($0)" } ?? "-", run.worstRecoveryMilliseconds.map { "\($0)" } ?? "-",
            ]
        }
        let items = runs.map { JSONText.value($0) }
        context.print(
            table, items: items, names: runs.map(\.id), next: "storebus open",
            ifEmpty: "no run has broken this store")
    }
}
