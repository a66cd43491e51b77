import ArgumentParser
import BusClient
import Chaos
import StoreModels

/// `storebus chaos …`
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos", abstract: "Break a store on purpose, and check its invariants.",
        discussion: """
            storebus chaos run --seed 7 --duration 60s
            storebus chaos matrix --target payment-queue --faults kill,pause
            storebus chaos check chaos-7
            storebus chaos check --live
            storebus chaos runs
            storebus chaos fault list
            """,
        subcommands: [
            ChaosRunCommand.self, ChaosMatrixCommand.self, ChaosCheckCommand.self, ChaosRunsCommand.self,
            ChaosFaultCommand.self,
        ])
}

/// Options of the commands that run a workload.
struct ChaosOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Decides the faults and their moments. Default: a random one.", valueName: "n"))
    var seed: String?

    @Option(
        help: ArgumentHelp(
            "Where the faults go: processes of storebus up, or containers of a running docker compose project.",
            valueName: "process|compose"), completion: .list(DriverName.rawValues))
    var driver = DriverName.process.rawValue

    @Option(
        help: ArgumentHelp(
            "The compose project. Also COMPOSE_PROJECT_NAME. Default: the only one that runs a store.",
            valueName: "name"))
    var project: String?

    @Option(
        help: ArgumentHelp(
            "Services that may be hit, separated by commas; of a compose project postgres, door and nats-1 to nats-3 "
                + "too. Default: all.", valueName: "services"),
        completion: .list(ServiceList.services + ComposeProject.infrastructure))
    var target: String?

    @Option(
        help: ArgumentHelp(
            "Faults to inject, separated by commas: \(FaultName.listed). "
                + "Default: all but overload.", valueName: "faults"),
        completion: .list(FaultName.rawValues))
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "The customers' workload: \(Workload.listed).", valueName: "name"),
        completion: .list(Workload.rawValues))
    var workload = Workload.mix.rawValue

    @Option(
        help: ArgumentHelp(
            "Other parts to leave out, separated by commas: "
                + "\(RunPart.listed).", valueName: "parts"),
        completion: .list(RunPart.rawValues))
    var without: String?

    @Option(help: ArgumentHelp("Operations a second.", valueName: "n"))
    var rate = 100

    @Option(
        help: ArgumentHelp("Write history and reports here. Default: chaos-<seed>.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Disturb the store that runs on this directory. Default: a new store, removed afterwards.",
            valueName: "dir"), completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp("Number of processes of a service of the new store. Repeatable.", valueName: "service=n"))
    var replicas: [String] = []

    @Option(help: ArgumentHelp("The PostgreSQL of the new store.", valueName: "url"))
    var databaseUrl: String?

    @Flag(help: "Keep the new store's data, so that you can look at it.")
    var keepData = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try Choice.check("--driver", driver, among: DriverName.rawValues)
        if driver == DriverName.compose.rawValue {
            if data != nil || !replicas.isEmpty || databaseUrl != nil || keepData {
                throw ValidationError(
                    "--data, --replicas, --database-url and --keep-data are of storebus up, not of --driver compose")
            }
        } else if project != nil {
            throw ValidationError("--project is of --driver compose")
        }
        guard (1...10_000).contains(rate) else { throw ValidationError("--rate is 1 to 10000") }
        if data != nil, !replicas.isEmpty || databaseUrl != nil || keepData {
            throw ValidationError("--replicas, --database-url and --keep-data are of a new store, without --data")
        }
        if output.format == .names || output.format == .jsonl { throw ValidationError("chaos prints human or json") }
    }

    /// The checked words, before anything is started.
    func plan(duration: Duration, _ environment: CommandEnvironment) async throws(CLIError) -> ChaosPlan {
        let seed = try ChaosPlan.seed(seed)
        let path = out ?? "chaos-\(seed)"
        let driver = DriverName(rawValue: driver) ?? .process
        var plan = ChaosPlan(
            seed: seed, duration: duration, targets: [], faults: try ChaosPlan.faults(faults),
            workload: try ChaosPlan.workload(workload),
            directory: path.hasPrefix("/") ? path : "\(environment.currentDirectory)/\(path)",
            name: ChaosPlan.newName(), rate: rate, driver: driver)
        plan.parts = try ChaosPlan.parts(without: without)
        if driver == .compose, plan.parts.remove(.notifications) != nil {
            plan.missing.append("notifications: containers cannot reach a server of this process; use --driver process")
        }
        let services = driver == .compose ? try await compose(environment).project.services : ServiceList.services
        plan.targets = try ChaosPlan.targets(target, of: services)
        try plan.checkSchedule(isChosen: faults != nil)
        try plan.dropMissing(
            ChaosMeans.Store(
                isOwn: data == nil && driver == .process, hasDatabase: databaseUrl != nil, keepsData: keepData,
                isReceiving: plan.parts.contains(.notifications)),
            isChosen: faults != nil)
        if !output.quiet {
            for line in plan.missing { environment.console.narrate("left out: \(line)\n") }
        }
        return plan
    }

    /// Finds the compose project that runs the store.
    private func compose(_ environment: CommandEnvironment) async throws(CLIError) -> ComposeDriver {
        let docker = try DockerCommand.find(environment)
        return ComposeDriver(try await ComposeProject.find(project, docker, environment), docker)
    }

    /// Starts or finds the store, connects to its bus, and stops a store that it started.
    ///
    /// Ctrl-C cancels the body's task, which then puts everything back and returns.
    func withStore<Value: Sendable>(
        of plan: ChaosPlan, log: String, _ environment: CommandEnvironment,
        _ body: @escaping @Sendable (ChaosStore, any BusClient) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await environment.untilStopped { () throws(CLIError) in
            try await connected(plan, log: log, environment, body)
        }.result.get()
    }

    private func connected<Value: Sendable>(
        _ plan: ChaosPlan, log: String, _ environment: CommandEnvironment,
        _ body: @Sendable (ChaosStore, any BusClient) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        let store: ChaosStore
        if driver == DriverName.compose.rawValue {
            store = try await ChaosStore(compose(environment), environment)
        } else if let data {
            store = try ChaosStore.find(data, environment)
        } else {
            var arguments = replicas.flatMap { ["--replicas", $0] }
            if let databaseUrl { arguments += ["--database-url", databaseUrl] }
            store = try await OwnedStore.start(
                arguments, faults: plan.faults, log: log, keepsData: keepData, environment)
        }
        let outcome = await Result.of { () throws(CLIError) in
            try await store.bus.join { bus throws(CLIError) in try await body(store, bus) }
        }
        await store.close()
        return try outcome.get()
    }
}

/// The checkers' verdict on a run.
struct ChaosVerdict: Sendable {
    let report: RunReport
    let outcome: ChaosRunner.RunOutcome

    /// Checks the history of a run and writes its reports beside it.
    init(_ outcome: ChaosRunner.RunOutcome) throws(CLIError) {
        self.outcome = outcome
        report = try ChaosCheckCommand.report(of: RunDirectory(outcome.directory))
    }

    /// Whether no invariant was violated and the store came back.
    var isGood: Bool { report.check.verdict == .valid && outcome.unhealed.isEmpty && !outcome.wasBrokenOff }

    /// `valid`, or why not.
    var word: String { outcome.unhealed.isEmpty ? report.check.verdict.rawValue : "not healed" }

    var line: String { "\(report.line)  report: \(outcome.directory)/report.html" }
}
