import ArgumentParser
import BusClient
import Chaos
import StoreHTTP
import StoreModels

/// `storebus chaos …`
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "chaos", "Break a store on purpose, and check its invariants.",
        """
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
    @Option("Decides the faults and their moments. Default: a random one.", "n") var seed: String?
    @Option(
        "Where the faults go: processes of storebus up, or containers of a running docker compose project.",
        "process|compose", .list(DriverName.rawValues))
    var driver = DriverName.process.rawValue
    @Option("The compose project. Also COMPOSE_PROJECT_NAME. Default: the only one that runs a store.", "name")
    var project: String?
    @Option(
        "Services that may be hit, separated by commas; of a compose project postgres, door and nats-1 to nats-3 "
            + "too. Default: all.", "services", .list(ServiceList.services + ComposeProject.infrastructure))
    var target: String?
    @Option(
        "Faults to inject, separated by commas: \(FaultName.listed). Default: all but overload.", "faults",
        .list(FaultName.rawValues))
    var faults: String?
    @Option("The customers' workload: \(Workload.listed).", "name", .list(Workload.rawValues))
    var workload = Workload.mix.rawValue
    @Option("Other parts to leave out, separated by commas: \(RunPart.listed).", "parts", .list(RunPart.rawValues))
    var without: String?
    @Option("Operations a second.", "n") var rate = ChaosPlan.usualRate
    @Option("Write history and reports here. Default: chaos-<seed>.", "dir", .directory) var out: String?
    @Option(
        "Disturb the store that runs on this directory. Default: a new store, removed afterwards.", "dir", .directory)
    var data: String?
    @Option("Number of processes of a service of the new store. Repeatable.", "service=n") var replicas: [String] = []
    @Option("The PostgreSQL of the new store.", "url") var databaseUrl: String?
    @Flag(help: "Keep the new store's data, so that you can look at it.") var keepData = false

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
    }

    /// The checked words, before anything is started.
    func plan(
        duration: Duration, isQuiet: Bool, _ environment: CommandEnvironment
    ) async throws(CLIError) -> ChaosPlan {
        let seed = try ChaosPlan.seed(seed)
        let path = out ?? "chaos-\(seed)"
        let driver = DriverName(rawValue: driver) ?? .process
        var plan = ChaosPlan(
            seed: seed, duration: duration, targets: [], faults: try ChaosPlan.faults(faults),
            workload: try ChaosPlan.workload(workload),
            directory: path.hasPrefix("/") ? path : "\(environment.currentDirectory)/\(path)",
            name: ChaosPlan.newName(), rate: rate, driver: driver)
        plan.parts = try ChaosPlan.parts(without: without)
        plan.leftOut = RunPart.allCases.filter { !plan.parts.contains($0) }.map { part in
            ChaosRun.LeftOut(name: part.rawValue, reason: "--without")
        }
        if driver == .compose {
            let project = try await compose(environment).project
            plan.services = project.services
            plan.storeArguments = [("--driver", driver.rawValue), ("--project", project.name)]
            if plan.parts.remove(.notifications) != nil {
                plan.leftOut.append(
                    ChaosRun.LeftOut(
                        name: RunPart.notifications.rawValue,
                        reason: "containers cannot reach a server of this process; use --driver process"))
            }
        } else {
            plan.storeArguments = storeArguments(environment)
        }
        plan.targets = try ChaosPlan.targets(target, of: plan.services)
        try plan.dropMissing(
            ChaosMeans.Store(
                isOwn: data == nil && driver == .process, hasDatabase: databaseUrl != nil, keepsData: keepData,
                isReceiving: plan.parts.contains(.notifications)),
            isChosen: faults != nil)
        if !isQuiet {
            for left in plan.leftOut where left.reason != "--without" {
                environment.console.narrate("left out: \(left.name): \(left.reason)\n")
            }
        }
        try plan.checkSchedule(isChosen: faults != nil)
        return plan
    }

    /// The options that name the store of processes.
    private func storeArguments(_ environment: CommandEnvironment) -> [(option: String, value: String?)] {
        if let data {
            return [("--data", DataDirectory(data, currentDirectory: environment.currentDirectory).path)]
        }
        var arguments: [(option: String, value: String?)] = []
        for replica in replicas { arguments.append(("--replicas", replica)) }
        if let databaseUrl { arguments.append(("--database-url", databaseUrl)) }
        if keepData { arguments.append(("--keep-data", nil)) }
        return arguments
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

    /// - Parameter isBrief: Whether only the line about the whole run is printed.
    func result(isBrief: Bool) -> CommandResult {
        let text = report.text(in: outcome.directory, isBrief: isBrief)
        let unhealed = outcome.unhealed.prefix(10).map { "not healed: \($0)\n" }.joined()
        let members = report.json(in: outcome.directory).with([
            "brokenOff": .bool(outcome.wasBrokenOff), "unhealed": .array(outcome.unhealed.map { .string($0) }),
        ])
        return CommandResult(data: members) { text($0) + unhealed }
    }
}

extension RunReport {
    /// Faults that a terminal shows. The reports have all.
    private static let shownFaultsMax = 100

    /// The end of a run on a terminal.
    ///
    /// - Parameters:
    ///   - directory: The directory of the run.
    ///   - isBrief: Whether only the line about the whole run is printed.
    func text(in directory: String, isBrief: Bool) -> @Sendable (Style) -> String {
        let line = "\(run.line ?? "")  report: \(directory)/report.html\n"
        guard !isBrief else { return { _ in line } }
        let faults = faultTable
        let table = Table(
            faults.columns.map { Table.Column(stringLiteral: $0.uppercased()) },
            faults.rows.prefix(Self.shownFaultsMax),
            { $0 })
        let more = faults.rows.count - Self.shownFaultsMax
        let rest = more > 0 ? "… and \(Format.count(more, "fault")) more in \(directory)/report.md\n" : ""
        let reasons = Dictionary(grouping: run.faultKinds.filter { $0.reason != nil }) { $0.reason ?? "" }
        let undrawn = reasons.sorted { $0.key < $1.key }.map { reason, kinds in
            "none of \(kinds.map(\.fault).joined(separator: ", ")): \(reason)\n"
        }.joined()
        let declined =
            "\(Format.count(run.counts.declined, "operation")) declined on purpose, "
            + "\(run.counts.refused) refused, \(run.counts.unknown) without an answer\n"
        let again = self.again.map { "to repeat it:\n\($0)\n" } ?? ""
        return { style in
            line + (table.rows.isEmpty ? "" : table.text(style)) + rest + declined + undrawn + again
        }
    }

    /// `report.json` with the place of the page.
    func json(in directory: String) -> JSONValue {
        JSONText.value(run).with(["report": .string("\(directory)/report.html")])
    }
}

/// `storebus chaos run`
struct ChaosRunCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "run", "Run a workload, inject faults by a seed, heal, and check every invariant.",
        """
        storebus chaos run --seed 7
        storebus chaos run --seed 7 --duration 10m --target payment-queue,broker --faults kill,pause
        storebus chaos run --data .storebus --faults kill --workload purchases
        storebus chaos run --driver compose --target postgres,payment-queue --faults kill,pause

        Starts a store of its own, or disturbs a running one (--data), with an app and accounts that the run \
        makes. The same seed, duration, targets and faults give the same schedule. After the faults the run heals \
        everything, repeats requests without an outcome under their keys, and reads everything. Then it checks \
        history.jsonl and writes the reports. Exits with 1 unless every invariant held and the store recovered. \
        Ctrl-C heals everything too.

        A running store needs STOREBUS_CHAOS=1 for the faults of the bus: drop, duplicate, delay, reorder, \
        corrupt, partition. Faults with disks, clocks and relays need a store that the run starts. disk-full puts \
        each SQLite file on a small disk in a mount namespace. clock-jump needs libfaketime and moves one \
        service's clock two hours forwards or one back. cut-to and cut-from hold back one direction between a \
        service and the broker. torn-frames ends connections in the middle of a frame. The run refuses a fault \
        that --faults names and this machine cannot inject. Without --faults it leaves that fault out, says so, \
        and lists it in options.json.

        With --driver compose the run disturbs the containers of a running compose project. Start the project \
        with deploy/compose.chaos.yml: its broker takes rules for faults, this machine can reach its bus, and \
        killed containers restart. The run reads the operator's key and the bus's token from the containers, or \
        takes them from STOREBUS_ADMIN_KEY_FILE and BUS_CREDENTIALS_FILE.
        """)

    @Option("How long faults are injected: 60s, 10m.", "time") var duration = TimeLimit(.seconds(60))
    @OptionGroup var chaos: ChaosOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try output.checkIsOneDocument("chaos")
        guard duration.duration >= .seconds(3) else { throw ValidationError("--duration is 3s at least") }
    }

    func run() async throws {
        let environment = CommandEnvironment.current
        let plan = try await chaos.plan(duration: duration.duration, isQuiet: output.quiet, environment)
        try FileAccess.makeDirectory(plan.directory)
        if !output.quiet, !output.format.isJSON {
            environment.console.narrate(
                "seed \(plan.seed), \(plan.schedule.faults.count) faults in \(duration), into \(plan.directory)\n")
        }
        let display = ChaosDisplay(environment, isQuiet: output.quiet || output.format.isJSON)
        let verdict = try await chaos.withStore(
            of: plan, log: "\(plan.directory)/up.log", environment
        ) { store, bus throws(CLIError) in
            try await ChaosRunner(plan: plan, store: store, bus: bus, display: display).run()
        }
        output.print(verdict.result(isBrief: output.quiet))
        if verdict.outcome.wasBrokenOff { throw QuietExit(status: .interrupted) }
        if !verdict.isGood { throw QuietExit(status: .refused) }
    }
}

/// `storebus chaos runs`
struct ChaosRunsCommand: ContextCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "runs", "List the runs that broke this store, the newest first.",
        """
        storebus chaos runs

        A run reports itself to the gateway of the store that it breaks, while it goes on. The last fifty are kept.
        """)

    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let runs = try await context.api.call(BusRoutes.runs).runs
        let columns: [Table.Column] = [
            "RUN", .right("SEED"), "BEGAN", "PHASE", "VERDICT", .right("OPERATIONS"), .right("FAULTS"), .right("LOST"),
            .right("DOUBLE"), .right("RECOVERY MS"),
        ]
        context.print(
            CommandResult(
                runs, columns, named: \.id, next: "storebus open", ifEmpty: "no run has broken this store"
            ) { run in
                [
                    run.id, run.seed, run.startedAt.description, run.phase.rawValue, run.verdict?.rawValue ?? "-",
                    "\(run.operations)", "\(run.faultCount)", run.lost.map { "\($0)" } ?? "-",
                    run.doubleCharges.map { "\($0)" } ?? "-", run.worstRecoveryMilliseconds.map { "\($0)" } ?? "-",
                ]
            })
    }
}

/// `storebus chaos fault …`
struct ChaosFaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "fault", "Inject faults into a running store by hand.",
        """
        storebus chaos fault list
        storebus chaos fault add delay payment-queue
        storebus chaos fault clear delay payment-queue
        storebus chaos fault clear
        """, subcommands: [List.self, Add.self, Clear.self])

    struct List: BusJoinCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List the faults in force on the bus, and stopped processes.", "storebus chaos fault list")

        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await join { client, context throws(CLIError) in
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }

    struct Add: BusJoinCommand {
        static let configuration = CommandConfiguration(
            "add", "Inject one fault into one service.",
            """
            storebus chaos fault add kill payment-queue
            storebus chaos fault add partition eligibility

            The store restarts a killed process. Pauses and faults of the bus stay until you clear them.
            """)

        @Argument("The fault.", "fault", .list(FaultName.rawValues)) var fault: String
        @Argument("The service.", "service", .list(ServiceList.services)) var service: String
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let (fault, target) = try FaultArguments.parse(fault, service)
            try await join { client, context throws(CLIError) in
                try await ChaosFaults.add(fault, target, client, context)
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }

    struct Clear: BusJoinCommand {
        static let configuration = CommandConfiguration(
            "clear", "Take back all faults, or one: rules of the bus, and stopped processes.",
            """
            storebus chaos fault clear
            storebus chaos fault clear delay payment-queue
            """)

        @Argument("Only this fault.", "fault", .list(FaultName.rawValues)) var fault: String?
        @Argument("Only at this service.", "service", .list(ServiceList.services)) var service: String?
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if fault != nil, service == nil {
                throw ValidationError("name the service, too; without both all are cleared")
            }
        }

        func run() async throws {
            if let fault, let service {
                let (fault, target) = try FaultArguments.parse(fault, service)
                return try await join { client, context throws(CLIError) in
                    try await ChaosFaults.remove(fault, target, client, context)
                    context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
                }
            }
            // A stopped broker accepts no connection, so processes go on first.
            let context = try CommandContext.find(options)
            ChaosFaults.resumeFrozen(context.directory)
            try await join { client, context throws(CLIError) in
                _ = try await BusFaults.askPatiently(client, "CLEAR")
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }
}

/// A fault and a service of the command line.
private enum FaultArguments {
    /// - Throws: `usage` for an unknown one, and for several.
    static func parse(_ fault: String, _ service: String) throws(CLIError) -> (FaultName, String) {
        let known = FaultName.allCases.filter { [.signal, .busRules].contains($0.means) }
        let names = try ChaosPlan.names("fault", fault, known: known.map(\.rawValue))
        let targets = try ChaosPlan.targets(service, of: ServiceList.services)
        guard let fault = names.first.flatMap(FaultName.init(rawValue:)), names.count == 1, targets.count == 1
        else {
            throw CLIError(.usage, "one fault and one service at a time", hints: ["repeat the command for more"])
        }
        return (fault, targets[0])
    }
}
