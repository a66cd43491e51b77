import ArgumentParser
import Chaos
import StoreModels

/// `storebus chaos check DIR`
struct ChaosCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the history of a run again, and write its reports anew.",
        discussion: """
            storebus chaos check chaos-7
            storebus chaos check chaos-7 -o json

            Needs no store. Exits with 1 unless every invariant that the history can decide held, and every kind of \
            operation succeeded at least once.
            """)

    @Argument(
        help: ArgumentHelp("The directory of the run, with its history.jsonl.", valueName: "dir"),
        completion: .directory)
    var directory: String

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if output.format == .names || output.format == .jsonl { throw ValidationError("chaos prints human or json") }
    }

    func run() async throws {
        let run = RunDirectory(directory)
        let report = try Self.report(of: run)
        output.print(
            CommandResult("\(report.line)  report: \(run.path)/report.html\n", data: report.jsonValue))
        if report.check.verdict != .valid { throw QuietExit(status: .refused) }
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
