import ArgumentParser
import Chaos
import StoreModels

/// `storebus chaos run`
struct ChaosRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a workload, inject faults by a seed, heal, and check every invariant.",
        discussion: """
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

    @Option(help: ArgumentHelp("How long faults are injected: 60s, 10m.", valueName: "time"))
    var duration = TimeLimit(.seconds(60))

    @OptionGroup var chaos: ChaosOptions

    func validate() throws {
        guard duration.duration >= .seconds(3) else { throw ValidationError("--duration is 3s at least") }
    }

    func run() async throws {
        let environment = CommandEnvironment.current
        let plan = try await chaos.plan(duration: duration.duration, environment)
        try FileAccess.makeDirectory(plan.directory)
        if !chaos.output.quiet, !chaos.output.format.isJSON {
            environment.console.narrate(
                "seed \(plan.seed), \(plan.schedule.faults.count) faults in \(duration), into \(plan.directory)\n")
        }
        let display = ChaosDisplay(environment, isQuiet: chaos.output.quiet || chaos.output.format.isJSON)
        let verdict = try await chaos.withStore(
            of: plan, log: "\(plan.directory)/up.log", environment
        ) { store, bus throws(CLIError) in
            try await ChaosRunner(plan: plan, store: store, bus: bus, display: display).run()
        }
        chaos.output.print(verdict.result(plan))
        if verdict.outcome.wasBrokenOff { throw QuietExit(status: .interrupted) }
        if !verdict.isGood { throw QuietExit(status: .refused) }
    }
}

extension ChaosVerdict {
    func result(_ plan: ChaosPlan) -> CommandResult {
        let members = report.jsonValue.with([
            "report": .string("\(outcome.directory)/report.html"),
            "seed": .string("\(plan.seed)"),
            "brokenOff": .bool(outcome.wasBrokenOff),
            "unhealed": .array(outcome.unhealed.map { .string($0) }),
        ])
        var text = line + "\n"
        for name in outcome.unhealed.prefix(10) { text += "not healed: \(name)\n" }
        return CommandResult(text, data: members)
    }
}
