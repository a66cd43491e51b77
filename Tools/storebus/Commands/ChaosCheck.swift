import ArgumentParser
import BusClient
import Chaos
import StoreModels

/// `storebus chaos check DIR` and `storebus chaos check --live`
struct ChaosCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the history of a run again and write its reports anew, or check a running store.",
        discussion: """
            storebus chaos check chaos-7
            storebus chaos check chaos-7 -o json
            storebus chaos check --live --seconds 20

            Checking a directory needs no store. Exits with 1 unless every invariant that the history can decide \
            held, and every kind of operation succeeded at least once.

            With --live it checks the steady state of a running store. A new customer of a new app buys, repeats the \
            purchase under its key, finds it unfinished, finishes it, restores it, and reads it in the history and, \
            if the bus is reachable and permits it, in the processor's ledger. Like a client, the check repeats \
            transient refusals until the time is over. Exits with 0 when all of it held and with 1 otherwise.
            """)

    @Argument(
        help: ArgumentHelp("The directory of the run, with its history.jsonl.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Flag(help: "Check the running store instead of a directory.")
    var live = false

    @Option(help: ArgumentHelp("The time for all checks of --live.", valueName: "n"))
    var seconds = 10

    @OptionGroup var bus: BusJoinOptions

    private var output: OutputOptions { bus.global.output }

    func validate() throws {
        guard live != (directory != nil) else { throw ValidationError("name the directory of a run, or --live") }
        guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is 1 to 3600") }
        if output.format == .names || output.format == .jsonl { throw ValidationError("chaos prints human or json") }
    }

    func run() async throws {
        guard let directory else { return try await runLive() }
        let run = RunDirectory(directory)
        let report = try Self.report(of: run)
        output.print(
            CommandResult("\(report.line)  report: \(run.path)/report.html\n", data: report.jsonValue))
        if report.check.verdict != .valid { throw QuietExit(status: .refused) }
    }

    private func runLive() async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        let context = try CommandContext.find(bus.global)
        guard context.api.adminKey != nil else {
            throw CLIError(
                .usage, "check --live needs the operator's key, to make its app",
                hints: ["name it: STOREBUS_ADMIN_KEY or STOREBUS_ADMIN_KEY_FILE"])
        }
        let check = LiveCheck(api: context.api, account: "live-\(ChaosPlan.newName())", deadline: deadline)
        let result = await check.run(try ledger(context))
        context.print(result.line + "\n", data: result.json)
        if !result.isGood { throw QuietExit(status: .refused) }
    }

    /// The store's ledger. Nil for a store at an address of another machine, whose bus is not named.
    private func ledger(_ context: CommandContext) throws(CLIError) -> LiveCheck.Ledger? {
        let environment = context.environment
        let isNamed = bus.busUrl != nil || environment.variables["BUS_URL"] != nil
        guard isNamed || context.directory != nil else { return nil }
        let target = try BusTarget.find(
            url: bus.busUrl, tokenFile: bus.busTokenFile, data: bus.global.data, environment)
        return { key throws(CLIError) in
            try await target.join { client throws(CLIError) in try await LiveCheck.ledger(client)(key) }
        }
    }

    /// Checks a run's history and writes its reports beside it.
    static func report(of run: RunDirectory) throws(CLIError) -> RunReport {
        do throws(HistoryFault) {
            let report = RunReport(try run.history(), options: try run.options())
            try run.write(report)
            return report
        } catch {
            throw CLIError(.fileUnreadable, "\(error)")
        }
    }
}
