import ArgumentParser
import StoreModels

/// `storebus logs`
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Read the services' logs, in the order of their times.",
        discussion: """
            storebus logs
            storebus logs payment-queue gateway -f --level warning
            storebus logs payment-queue#2
            storebus logs -f -o jsonl

            A service's name stands for all its replicas, payment-queue#2 for the second alone.
            """)

    @Argument(help: ArgumentHelp("Only these.", valueName: "service"), completion: Completion.services)
    var services: [String] = []

    @Flag(name: .shortAndLong, help: "Go on with what is written from now on.")
    var follow = false

    @Option(
        help: ArgumentHelp("At least so grave: \(LogLine.levels.joined(separator: ", ")).", valueName: "level"),
        completion: .list(LogLine.levels))
    var level = "trace"

    @Option(name: .customShort("n"), help: ArgumentHelp("At most so many lines that are there.", valueName: "lines"))
    var count = 100

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (0...100_000).contains(count) else { throw ValidationError("-n is 0 to 100000") }
        for service in services where !ServiceRoster.services.contains(ServiceInstance(service).service) {
            let near = Suggestion.nearest(to: service, among: ServiceRoster.services)
            throw ValidationError(
                "there is no service '\(service)'"
                    + (near.map { "; did you mean '\($0)'?" } ?? "; they are "
                        + ServiceRoster.services.joined(separator: ", ")))
        }
        guard LogLine.levels.contains(level) else {
            throw ValidationError("--level is one of \(LogLine.levels.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let environment = CommandEnvironment.current
        let directory = try DataDirectory.choose(global, environment)
        let wanted = (services.isEmpty ? ServiceRoster.services : services)
            .flatMap { directory.logged(ServiceInstance($0)) }
        var followers = wanted.map { LogFollower(service: $0, path: directory.logFile($0)) }
        guard followers.contains(where: \.exists) else {
            throw CLIError(
                .fileNotFound, "\(directory.logDirectory) has no logs of \(wanted.joined(separator: ", "))",
                hints: ["start a store: storebus up", "name its directory: --data DIR"])
        }
        let lines = followers.indices.flatMap { followers[$0].last(count) }
        let shown = LogLine.merge(lines, atLeast: level).suffix(count)
        let style = global.output.style(environment)
        guard follow else {
            return global.output.print(
                Answer(data: .array(shown.map(\.json)), names: wanted) { style in
                    shown.map { $0.text(style) }.joined()
                })
        }
        let format = global.output.format
        func print(_ lines: some Sequence<LogLine>) {
            for line in lines {
                environment.console.result(format.isJSON ? JSONText.line(line.json) + "\n" : line.text(style))
            }
        }
        print(shown)
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: .milliseconds(200))
            print(LogLine.merge(followers.indices.flatMap { followers[$0].new() }, atLeast: level))
        }
    }
}

extension DataDirectory {
    /// The processes a name stands for, as far as they have left logs; the first of a service is always among them.
    fileprivate func logged(_ instance: ServiceInstance) -> [String] {
        guard instance.number == 1 else { return [instance.name] }
        let others = (2...Replicas.max).map { ServiceInstance(service: instance.service, number: $0).name }
        return [instance.name] + others.filter { LogFollower(service: $0, path: logFile($0)).exists }
    }
}
