import ArgumentParser
import CurlLoop
import StoreHTTP
import StoreModels

/// `storebus scenario …`
struct ScenarioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "scenario", "Tests of a store in files: commands, and what they have to print.",
        """
        storebus scenario run renewal.scenario.yaml
        storebus scenario record life.scenario.yaml

        A scenario runs in an isolated store of its own. docs/scenarios.md describes the files.
        """, subcommands: [Run.self, Record.self])

    /// `storebus scenario run`
    struct Run: OneAppCommand, InstallationCommand {
        static let configuration = CommandConfiguration(
            "run", "Run scenarios, each in an isolated store of its own.",
            """
            storebus scenario run renewal.scenario.yaml
            storebus scenario run tests/ --junit storebus.xml --html storebus.html
            storebus scenario run - < renewal.scenario.yaml

            Of a directory, all *.scenario.yaml are run, in the order of their names. If a file is wrong, none runs. \
            A scenario ends with the first step that is not as expected, and its store stays until its time is over. \
            Exits with 1 when one has failed.
            """)

        @Argument("Files, directories, or - for standard input.", "file", .file(extensions: ["yaml", "yml"]))
        var files: [String]
        @Option("Write the results as JUnit's XML.", "file", .file(extensions: ["xml"])) var junit: String?
        @Option("Write one page with each step and notification.", "file", .file(extensions: ["html"]))
        var html: String?
        @Option("Write the signed notifications of each scenario into a directory.", "dir", .directory)
        var fixtures: String?
        @Flag(help: "Print annotations for GitHub Actions, on standard error.") var github = false
        @Flag(help: "Keep the stores afterwards.") var keep = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func context() async throws(CLIError) -> CommandContext {
            try await CommandContext.find(options, bundleId: app.bundleId).installation.withOnlyApp()
        }

        func run(_ context: CommandContext) async throws {
            let scenarios = try ScenarioFiles(files, context.environment).scenarios
            if fixtures != nil { try Self.checkNames(scenarios) }
            let runner = runner(context)
            let (result, wasStopped) = await context.environment.untilStopped { () throws(CLIError) in
                var reports: [ScenarioReport] = []
                for scenario in scenarios where !Task.isCancelled {
                    let report = try await context.progress.during("running \(scenario.name)") {
                        await runner.run(scenario)
                    }
                    reports.append(report)
                }
                return reports
            }
            let reports = try result.get()
            context.print(Self.result(reports))
            if github { context.console.narrate(ScenarioReports.annotations(reports)) }
            try write(reports, context)
            if wasStopped { throw QuietExit(status: .interrupted) }
            if !reports.allSatisfy(\.hasPassed) { throw QuietExit(status: .refused) }
        }

        private func runner(_ context: CommandContext) -> ScenarioRunner {
            let flags = [("--url", options.url), ("--data", options.data), ("--timeout", options.timeout?.description)]
                .compactMap { name, value in value.map { "\(name)=\($0)" } }
            var environment = context.environment
            environment.isRecorded = false
            let inherited = environment
            return ScenarioRunner(
                call: { words, store in
                    var environment = inherited
                    environment.variables[EffectiveSettings.storeVariable] = store
                    return await CommandCall.run(["--output=json"] + flags + words, in: environment)
                }, fetch: ScenarioRequest.send, variables: environment.variables, bundleId: context.bundleId,
                keeps: keep, reportsNotifications: html != nil || fixtures != nil)
        }

        private func write(_ reports: [ScenarioReport], _ context: CommandContext) throws(CLIError) {
            if let junit { try Self.write(ScenarioReports.junit(reports), to: context.path(junit)) }
            if let html { try Self.write(ScenarioPage.html(reports), to: context.path(html)) }
            guard let fixtures else { return }
            for report in reports {
                let directory = "\(context.path(fixtures))/\(ScenarioFixtures.directory(report.scenario))"
                try FileAccess.makeDirectory(directory)
                // Those of an earlier run.
                for name in FileAccess.names(in: directory) where ScenarioFixtures.isName(name) {
                    FileAccess.remove("\(directory)/\(name)")
                }
                for file in ScenarioFixtures.files(report) {
                    try Self.write(file.text, to: "\(directory)/\(file.name)")
                }
            }
        }

        /// - Throws: `usage` for two scenarios whose fixtures would be in one directory.
        private static func checkNames(_ scenarios: [Scenario]) throws(CLIError) {
            let byName = Dictionary(grouping: scenarios) { ExactText(ScenarioFixtures.directory($0)) }
            guard let twice = byName.values.first(where: { $0.count > 1 }) else { return }
            throw CLIError(
                .usage, "--fixtures would have \(twice[0].file) and \(twice[1].file) in one directory",
                hints: ["give the files different names"])
        }

        private static func write(_ text: String, to path: String) throws(CLIError) {
            try FileAccess.write(Array(text.utf8), to: path, mode: 0o644)
        }

        private static func result(_ reports: [ScenarioReport]) -> CommandResult {
            let failed = reports.count { !$0.hasPassed }
            let kept = reports.first { $0.isKept }
            return CommandResult(
                data: .array(reports.map(\.json)), names: reports.map(\.scenario.file),
                next: kept?.store.map { "storebus tx list --store \($0)" },
                notes: kept?.store.map { ["\($0) is kept until its time is over: storebus store delete \($0) --yes"] }
                    ?? []
            ) { style in
                reports.map { $0.text(style) }.joined() + "\(reports.count - failed) passed, \(failed) failed\n"
            }
        }
    }

    /// `storebus scenario record`
    struct Record: OneAppCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "record", "Write the commands that you type into a scenario.",
            """
            storebus scenario record life.scenario.yaml
            storebus scenario record --end

            Until --end, each command that changes the store is added to the file when it has ended. An identifier \
            that an earlier one printed becomes a variable. Commands that only read are left out: add what you expect \
            yourself. The file's clock begins with the app's.
            """)

        @Argument("The file to write.", "file", .file(extensions: ["yaml", "yml"])) var file: String?
        @Flag(help: "End the recording.") var end = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard end != (file != nil) else { throw ValidationError("name a file, or end with --end") }
        }

        func run(_ context: CommandContext) async throws {
            guard let directory = context.directory else {
                throw CLIError(
                    .usage, "only commands in a store of this machine are recorded",
                    hints: ["name its directory: --data DIR"])
            }
            guard let file else {
                let done = try ScenarioRecording.end(in: directory)
                return context.print(
                    "recorded  \(done.file): \(Format.count(done.steps.count, "step"))\n",
                    data: ["file": .string(done.file), "steps": .integer(done.steps.count)], names: [done.file],
                    next: done.steps.isEmpty ? nil : "storebus scenario run \(done.file)")
            }
            let path = context.path(file)
            if FileAccess.exists(path) { try context.confirm("replace \(file)") }
            let clock = try await context.api.call(ClockRoutes.get, [.bundleId: context.bundleId])
            try ScenarioRecording.begin(
                ScenarioRecording.Beginning(
                    file: path, bundleId: clock.bundleId, store: context.settings.store?.text, clock: clock.now),
                in: directory)
            context.print(
                "recording into \(file)\n", data: ["file": .string(path)], names: [path],
                next: "storebus scenario record --end")
        }
    }
}

/// The scenarios of a command line.
struct ScenarioFiles {
    let scenarios: [Scenario]

    /// - Throws: `scenarioInvalid`, with the place of the first fault of each file.
    init(_ names: [String], _ environment: CommandEnvironment) throws(CLIError) {
        var scenarios: [Scenario] = []
        var problems: [JSONValue] = []
        var files: [String] = []
        for name in names { files += try Self.files(of: name) }
        for name in files {
            let bytes = try FileAccess.read(name == "-" ? "/dev/stdin" : name, byteCountMax: Scenario.byteCountMax)
            do throws(YAMLFault) {
                scenarios.append(try Scenario(bytes, file: name, variables: environment.variables))
            } catch {
                problems.append(["path": .string("\(name):\(error.line)"), "reason": .string(error.reason)])
            }
        }
        guard problems.isEmpty else {
            throw CLIError(
                .scenarioInvalid, "\(Format.count(problems.count, "scenario")) cannot be read, and none was run",
                hints: ["the form of the files: docs/scenarios.md"], details: ["problems": .array(problems)])
        }
        self.scenarios = scenarios
    }

    /// - Throws: `fileNotFound` for a directory without scenarios.
    private static func files(of name: String) throws(CLIError) -> [String] {
        guard FileAccess.isDirectory(name) else { return [name] }
        let names = FileAccess.names(in: name).filter { file in Scenario.endings.contains { file.hasSuffix($0) } }
        guard !names.isEmpty else {
            throw CLIError(
                .fileNotFound, "\(name) has no \(Scenario.endings[0])", hints: ["name a file, or another directory"])
        }
        let directory = name.hasSuffix("/") ? name : "\(name)/"
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { directory + $0 }
    }
}

/// A request of a scenario to a server of the user's.
enum ScenarioRequest {
    private static let time = Duration.seconds(10)
    private static let bound = CurlBodyBound(bytesMax: 1024 * 1024)

    /// Sends a request without a body.
    /// - Returns: Its `status` and `body`, as JSON if it is JSON, else as text.
    /// - Throws: `serverUnreachable` without a response.
    static func send(_ method: String, _ url: String) async throws(CLIError) -> JSONValue {
        let response = await CurlConnections.exchange(
            CurlRequest(method, url, headers: [("Accept", "application/json")]), within: time, bound)
        if let failure = response.failure { throw CLIError(.serverUnreachable, "\(url): \(failure.reason)") }
        let body = (try? StrictJSON.parse(response.body)) ?? .string(String(decoding: response.body, as: UTF8.self))
        return ["status": .integer(response.status ?? 0), "body": body]
    }
}
