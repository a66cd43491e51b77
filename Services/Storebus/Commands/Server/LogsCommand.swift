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
            storebus logs --trace 4bf92f3577b34da6a3ce929d0e0e4736

            A service's name stands for all its replicas, payment-queue#2 for the second alone. Errors print the trace of \
            their request; its beginning is enough.
            """)

    @Argument(help: ArgumentHelp("Only these.", valueName: "service"), completion: Completion.services)
    var services: [String] = []

    @Flag(name: .shortAndLong, help: "Go on with what is written from now on.")
    var follow = false

    @Option(
        help: ArgumentHelp("Minimum level: \(LogLine.levels.joined(separator: ", ")).", valueName: "level"),
        completion: .list(LogLine.levels))
    var level = "trace"

    @Option(
        name: .customShort("n"), help: ArgumentHelp("How many lines of what is there, at most.", valueName: "lines"))
    var count = 100

    @Option(help: ArgumentHelp("Only the lines of one request, by its trace.", valueName: "id"))
    var trace: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (0...100_000).contains(count) else { throw ValidationError("-n is 0 to 100000") }
        if let trace, trace.count < 8 || !trace.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw ValidationError("--trace is the beginning of a trace, 8 to 32 hexadecimal digits; not '\(trace)'")
        }
        for service in services where !ServiceRoster.services.contains(ServiceInstance(service).service) {
            if service.count >= 16, service.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
                throw ValidationError("'\(service)' looks like a trace; for its request: --trace \(service)")
            }
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
        guard global.data != nil || !StorePlace.isCompose(environment) else {
            throw CLIError(
                .usage, "the services are containers, and the engine keeps their logs",
                hints: ["on the machine of the containers: docker compose logs \(services.joined(separator: " "))"])
        }
        let directory = try DataDirectory.choose(global, environment)
        let wanted = (services.isEmpty ? ServiceRoster.services : services)
            .flatMap { directory.logged(ServiceInstance($0)) }
        var followers = wanted.map { LogFollower(service: $0, path: directory.logFile($0)) }
        guard followers.contains(where: \.exists) else {
            throw CLIError(
                .fileNotFound, "\(directory.logDirectory) has no logs of \(wanted.joined(separator: ", "))",
                hints: ["start a store: storebus up", "name its directory: --data DIR"])
        }
        // Of one request there are few lines, which may be anywhere in what can be read.
        let lines = followers.indices.flatMap { followers[$0].last(trace == nil ? count : .max) }
        let shown = LogLine.merge(lines.filter(isWanted), atLeast: level).suffix(count)
        if let trace, shown.isEmpty, !follow {
            throw CLIError(
                CLIErrorCode(.notFound), "no line of trace \(trace) is in the logs, as far as they were read",
                hints: ["each log's last megabyte is read; all of them: \(directory.logDirectory)"])
        }
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
            let new = followers.indices.flatMap { followers[$0].new() }
            print(LogLine.merge(new.filter(isWanted), atLeast: level))
        }
    }

    private func isWanted(_ line: LogLine) -> Bool { trace.map { line.isOf(trace: $0) } ?? true }
}

extension DataDirectory {
    /// The processes a name stands for, as far as they have left logs; the first of a service is always among them.
    fileprivate func logged(_ instance: ServiceInstance) -> [String] {
        guard instance.number == 1 else { return [instance.name] }
        let others = (2...Replicas.max).map { ServiceInstance(service: instance.service, number: $0).name }
        return [instance.name] + others.filter { LogFollower(service: $0, path: logFile($0)).exists }
    }
}
