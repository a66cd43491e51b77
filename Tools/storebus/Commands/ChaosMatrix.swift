import ArgumentParser
import BusClient
import Chaos
import StoreHTTP
import StoreModels

/// `storebus chaos matrix`
struct ChaosMatrixCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "matrix", "Inject each fault into each service, one at a time, and print the table.",
        """
        storebus chaos matrix
        storebus chaos matrix --target payment-queue,gateway --faults kill,pause,partition
        storebus chaos matrix --length 5s --out matrix -o json
        storebus chaos matrix --driver compose --target postgres,door,broker --faults kill,pause,restart

        Each round has an app and accounts of its own and one fault. It writes its history and reports into a \
        directory of its own name below --out, beside the table, matrix.json and matrix.md. Availability is the \
        share of operations with an outcome. Exits with 1 unless every round is valid.
        """)

    @Option("How long each fault lasts. Kill and restart are instantaneous.", "time")
    var length = TimeLimit(.seconds(2))
    @OptionGroup var chaos: ChaosOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try output.checkIsOneDocument("chaos")
        guard (.milliseconds(100)...Duration.seconds(600)).contains(length.duration) else {
            throw ValidationError("--length is 100ms to 10m")
        }
    }

    func run() async throws {
        let environment = CommandEnvironment.current
        // A round begins with a second without the fault and ends with two.
        let plan = try await chaos.plan(
            duration: length.duration + .seconds(3), isQuiet: output.quiet, environment)
        try FileAccess.makeDirectory(plan.directory)
        let isQuiet = output.quiet || output.format.isJSON
        let cells = plan.faults.flatMap { fault in fault.targets(plan.targets).map { (fault, $0) } }
        let length = length.duration
        let rows = try await chaos.withStore(
            of: plan, log: "\(plan.directory)/up.log", environment
        ) { store, bus throws(CLIError) in
            var rows: [ChaosMatrixRow] = []
            for (number, (fault, service)) in cells.enumerated() where !Task.isCancelled {
                let round = plan.round(number + 1, fault, service, length: length)
                let verdict = try await ChaosRunner(
                    plan: round, store: store, bus: bus, display: ChaosDisplay(environment, isQuiet: true)
                ).run()
                if verdict.outcome.wasBrokenOff { break }
                let row = ChaosMatrixRow(round, verdict)
                rows.append(row)
                if !isQuiet { environment.console.narrate("\(number + 1) of \(cells.count)  \(row.line)\n") }
            }
            return rows
        }
        let result = ChaosMatrixRow.result(rows)
        try FileAccess.write(
            Array((JSONText.line(result.data) + "\n").utf8), to: "\(plan.directory)/matrix.json", mode: 0o644)
        try FileAccess.write(
            Array(ChaosMatrixRow.markdown(rows).utf8), to: "\(plan.directory)/matrix.md", mode: 0o644)
        output.print(result)
        if rows.count < cells.count { throw QuietExit(status: .interrupted) }
        if !rows.allSatisfy(\.isGood) { throw QuietExit(status: .refused) }
    }
}

extension ChaosPlan {
    /// The plan of one round of the matrix.
    fileprivate func round(_ number: Int, _ fault: FaultName, _ service: String, length: Duration) -> ChaosPlan {
        var round = self
        round.name = ChaosPlan.newName()
        round.seed = seed &+ UInt64(number)
        round.directory = "\(directory)/\(service)-\(fault.rawValue)"
        round.targets = [service]
        round.faults = [fault]
        round.accounts = 4
        round.only = PlannedFault(
            number: 1, name: fault, target: service, begin: .seconds(1), length: fault.isInstant ? .zero : length)
        return round
    }
}

/// One cell of the matrix: a service with a fault.
struct ChaosMatrixRow: Hashable, Sendable {
    var service: String
    var fault: String
    var verdict: String
    var isGood: Bool
    /// Milliseconds. Nil if the service was never away.
    var recovery: Int?
    /// 0 to 1. Nil without operations.
    var availability: Double?
    var operations: Int

    private var cells: [String] {
        [
            service, fault, verdict, recovery.map(ReportText.seconds) ?? "-",
            availability.map(Self.percent) ?? "-", "\(operations)",
        ]
    }

    private static let titles = ["service", "fault", "verdict", "worst recovery", "availability", "operations"]

    /// `99.4 %`, rounded down, so that only a round without a loss has 100 %.
    static func percent(_ share: Double) -> String {
        let tenths = Int(share * 1_000)
        return "\(tenths / 10).\(tenths % 10) %"
    }

    var line: String { cells.joined(separator: "  ") }

    static func markdown(_ rows: [ChaosMatrixRow]) -> String {
        let lines = [titles, titles.map { _ in "---" }] + rows.map(\.cells)
        return lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    static func result(_ rows: [ChaosMatrixRow]) -> CommandResult {
        let items = rows.map { row -> JSONValue in
            .object([
                "service": .string(row.service), "fault": .string(row.fault), "verdict": .string(row.verdict),
                "worstRecoveryMilliseconds": row.recovery.map { .integer($0) } ?? .null,
                "availability": row.availability.map { .number("\($0)") } ?? .null,
                "operations": .integer(row.operations),
            ])
        }
        let table = Table(titles.map { Table.Column(stringLiteral: $0) }, rows, \.cells)
        return CommandResult(table, items: items, names: [], ifEmpty: "no round was run")
    }
}

extension ChaosMatrixRow {
    init(_ round: ChaosPlan, _ verdict: ChaosVerdict) {
        self.init(
            service: round.targets.joined(), fault: round.faults.map(\.rawValue).joined(), verdict: verdict.word,
            isGood: verdict.isGood, recovery: verdict.report.run.worstRecoveryMilliseconds,
            availability: verdict.report.run.availability, operations: verdict.outcome.operations)
    }
}
