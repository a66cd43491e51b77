import ArgumentParser
import Glibc
import StoreModels

/// `storebus logs`
struct LogsCommand: InstallationCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "logs", "Read the services' logs, in the order of their times.",
        """
        storebus logs
        storebus logs payment-queue gateway -f --level warning
        storebus logs payment-queue#2
        storebus logs -f -o jsonl
        storebus logs --trace 4bf92f3577b34da6a3ce929d0e0e4736

        A service's name selects all its replicas, and payment-queue#2 only the second. Errors print the trace of \
        their request. Its first digits are enough.
        """)

    @Argument("Only these services.", "service", Completion.services) var services: [String] = []
    @Flag(name: .shortAndLong, help: "Follow new lines as the services write them.") var follow = false
    @Option("Minimum level: \(LogLine.levels.joined(separator: ", ")).", "level", .list(LogLine.levels))
    var level = "trace"
    @Option("How many of the existing lines, at most.", "lines", name: [.customShort("n"), .customLong("lines")])
    var count = 100
    @Option("Only the lines of one request, by its trace.", "id") var trace: String?
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (0...100_000).contains(count) else { throw ValidationError("-n is 0 to 100000") }
        if let trace, trace.count < 8 || !trace.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            throw ValidationError("--trace is the beginning of a trace, 8 to 32 hexadecimal digits; not '\(trace)'")
        }
        for service in services where !ServiceList.services.contains(ServiceInstance(service).service) {
            if service.count >= 16, service.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
                throw ValidationError("'\(service)' looks like a trace; for its request: --trace \(service)")
            }
            let near = Suggestion.nearest(to: service, among: ServiceList.services)
            throw ValidationError(
                "there is no service '\(service)'"
                    + (near.map { "; did you mean '\($0)'?" } ?? "; they are "
                        + ServiceList.services.joined(separator: ", ")))
        }
        guard LogLine.levels.contains(level) else {
            throw ValidationError("--level is one of \(LogLine.levels.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let environment = CommandEnvironment.current
        guard global.data != nil || !Deployment.isCompose(environment) else {
            throw CLIError(
                .usage, "the services are containers, and the engine keeps their logs",
                hints: ["on the machine of the containers: docker compose logs \(services.joined(separator: " "))"])
        }
        let directory = try DataDirectory.choose(global, environment)
        let wanted = (services.isEmpty ? ServiceList.services : services)
            .flatMap { directory.logged(ServiceInstance($0)) }
        var followers = wanted.map { LogFollower(service: $0, path: directory.logFile($0)) }
        guard followers.contains(where: \.exists) else {
            throw CLIError(
                .fileNotFound, "\(directory.logDirectory) has no logs of \(wanted.joined(separator: ", "))",
                hints: ["start a store: storebus up", "name its directory: --data DIR"])
        }
        // A request has few lines, at any place in the logs.
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
                CommandResult(data: .array(shown.map(\.json)), names: wanted) { style in
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
    /// Finds the processes of a name that have logs. The first of a service is always included.
    fileprivate func logged(_ instance: ServiceInstance) -> [String] {
        guard instance.number == 1 else { return [instance.name] }
        let others = (2...Replicas.max).map { ServiceInstance(service: instance.service, number: $0).name }
        return [instance.name] + others.filter { LogFollower(service: $0, path: logFile($0)).exists }
    }
}

/// Reads one service's log: its end first, then appended lines. A truncated log is read from its beginning.
struct LogFollower: Sendable {
    let service: String
    let path: String
    private var offset: off_t = 0
    /// The incomplete last line.
    private var rest: [UInt8] = []
    private var time = ""

    /// Maximum number of bytes read at a time. A longer line is split.
    private static let byteCountMax = 1024 * 1024

    init(service: String, path: String) {
        self.service = service
        self.path = path
    }

    var exists: Bool { access(path, R_OK) == 0 }

    /// Reads the last lines within the last megabyte.
    mutating func last(_ count: Int) -> [LogLine] {
        guard let size = size() else { return [] }
        offset = max(0, size - off_t(Self.byteCountMax))
        let beginsInside = offset > 0
        let lines = new()
        return Array((beginsInside ? lines.dropFirst() : lines[...]).suffix(count))
    }

    /// Reads the whole lines appended since.
    mutating func new() -> [LogLine] {
        guard let size = size() else { return [] }
        if size < offset {
            offset = 0
            rest = []
        }
        rest += read(min(size - offset, off_t(Self.byteCountMax)))
        var lines: [LogLine] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], &lines)
            rest.removeSubrange(...end)
        }
        if rest.count >= Self.byteCountMax {
            take(rest[...], &lines)
            rest = []
        }
        return lines
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ lines: inout [LogLine]) {
        guard !bytes.isEmpty else { return }
        let line = LogLine(String(decoding: bytes, as: UTF8.self), service: service, before: time)
        time = line.time
        lines.append(line)
    }

    private func size() -> off_t? { FileAccess.status(path)?.st_size }

    private mutating func read(_ count: off_t) -> [UInt8] {
        let bytes = FileAccess.bytes(of: path, at: offset, count: Int(count))
        offset += off_t(bytes.count)
        return bytes
    }
}

/// One line of a service's log.
struct LogLine: Hashable, Sendable {
    /// From the lowest to the highest.
    static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    var service: String
    /// ISO 8601. A line without a time has that of the line before.
    var time: String
    var level: String
    var message: String
    /// The other metadata of the line, sorted.
    var fields: [String]
    var json: JSONValue

    /// - Parameter before: The time of the line before, for a line that is not JSON, such as a part of a crash report.
    init(_ text: String, service: String, before: String) {
        self.service = service
        guard let json = try? StrictJSON.parse(Array(text.utf8)), let members = json.objectValue,
            let message = members["message"]?.stringValue
        else {
            time = before
            level = "error"
            message = text
            fields = []
            json = ["service": .string(service), "level": "error", "message": .string(text), "time": .string(before)]
            return
        }
        self.json = json
        self.message = message
        time = members["time"]?.stringValue ?? before
        level = members["level"]?.stringValue ?? "info"
        let known: Set = ["time", "level", "service", "instance", "message"]
        fields = members.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.stringValue ?? JSONText.line(value))"
        }
    }

    /// Whether the line belongs to a request, given the beginning of its trace identifier.
    func isOf(trace: String) -> Bool {
        json["traceID"]?.stringValue?.lowercased().hasPrefix(trace.lowercased()) == true
    }

    /// `10:00:04.161  info     payment-queue  serving  endpoints=10`
    func text(_ style: Style) -> String {
        let clock = time.split(separator: "T").last.map { String($0.prefix { $0 != "Z" }) } ?? time
        let words = [
            Format.pad(clock, 12), style.paint(Format.pad(level, 7), .of(state: level)), Format.pad(service, 20),
        ]
        return (words + [Table.onOneLine(message)] + fields.map(Table.onOneLine)).joined(separator: "  ") + "\n"
    }

    /// Filters by minimum level and sorts stably by time.
    static func merge(_ lines: [LogLine], atLeast level: String) -> [LogLine] {
        let least = levels.firstIndex(of: level) ?? 0
        return lines.enumerated()
            .filter { (levels.firstIndex(of: $1.level) ?? levels.count) >= least }
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
