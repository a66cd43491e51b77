import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus trace …`
struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "trace", "Where the time of a request went.",
        """
        storebus trace
        storebus trace 2000000000000001
        storebus trace export

        Each process keeps its last 2048 spans in memory, so an old request is gone, and so are those of a process \
        that was restarted.
        """, subcommands: [TraceShowCommand.self, Export.self], defaultSubcommand: TraceShowCommand.self)

    /// `storebus trace export`
    struct Export: BusJoinCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "export", "Send the spans of all processes to a collector, by OTLP over HTTP.",
            """
            storebus trace export

            OTEL_EXPORTER_OTLP_ENDPOINT names the collector, such as http://localhost:4318. Runs until Ctrl-C. storebus \
            up does the same by itself when it gets the variable. \
            OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES and OTEL_SDK_DISABLED count too. Spans that a process \
            displaces while the collector is away are lost, and counted at the end.
            """)

        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let environment = CommandEnvironment.current
            guard let settings = try OTLPSettings.find(environment.variables) else {
                throw CLIError(
                    .usage, "the traces have no collector: OTEL_EXPORTER_OTLP_ENDPOINT is not set",
                    hints: ["for example OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318"])
            }
            try await join { client, context throws(CLIError) in
                context.narrate("exporting to \(settings.url); Ctrl-C ends it\n")
                let exporter = TraceExporter(settings, bus: client) { context.narrate("note: \($0)\n", always: true) }
                let (result, _) = await environment.untilStopped { () throws(CLIError) in await exporter.run() }
                let progress = try result.get()
                context.print(
                    "exported  \(Format.count(progress.sent, "span")), \(progress.missed) missed\n",
                    data: ["sent": .integer(progress.sent), "missed": .integer(Int(progress.missed))])
            }
        }
    }
}

/// `storebus trace show`, and `storebus trace [ID]`
struct TraceShowCommand: ContextCommand, InstallationCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "show", "List the newest requests, or show one as a waterfall.",
        """
        storebus trace show
        storebus trace --slower-than 100ms
        storebus trace 2000000000000001

        The identifier is that of a trace, a transaction or a notification. The newest trace about it is shown.
        """)

    @Argument("A trace, a transaction or a notification.", "id") var id: String?
    @Option("Only requests that took as long.", "time") var slowerThan: TimeLimit?
    @Option("How many requests at most.", "n") var limit = 20
    @OptionGroup var options: GlobalOptions

    /// Older traces of an identifier that are named beside the newest.
    private static let othersMax = 4

    func validate() throws {
        guard (1...100).contains(limit) else { throw ValidationError("--limit is 1 to 100") }
        guard id == nil || slowerThan == nil else { throw ValidationError("--slower-than is for the list") }
        if let slowerThan, slowerThan.duration > .seconds(300) {
            throw ValidationError("--slower-than is at most 300s")
        }
    }

    func run(_ context: CommandContext) async throws {
        let slow = slowerThan.map { "\(Int($0.duration / .milliseconds(1)))" }
        let traces = try await context.installation.api.call(
            TraceRoutes.list,
            query: ["of": id, "slowerThan": slow, "limit": "\(id == nil ? limit : Self.othersMax + 1)"]
        ).traces
        guard let id else { return context.print(TraceInfo.list(traces)) }
        guard let trace = traces.first else {
            throw CLIError(
                CLIErrorCode(.notFound), "no process keeps a trace of '\(id)'",
                hints: ["the newest: storebus trace", "each process keeps its last 2048 spans, until it ends"])
        }
        var result = TraceInfo.waterfall(trace)
        result.notes = traces.dropFirst().map { "older: storebus trace \($0.traceId)" }
        context.print(result)
    }
}

/// Traces as a table, and one of them as a waterfall:
///
/// ```
/// SPAN                SERVICE          TOOK      COURSE
/// POST /v1/payments   gateway          12.40 ms  ████████████████████
///   queue.add         payment-queue     9.10 ms    ██████████████
/// ```
enum TraceInfo {
    private static let courseWidth = 32

    static func list(_ traces: [TracesResponse.Trace]) -> CommandResult {
        CommandResult(
            traces, ["TRACE", "BEGAN", .right("TOOK"), "REQUEST", "SERVICE", .right("SPANS"), "ERROR"],
            named: \.traceId,
            json: { trace in
                JSONText.value(trace).with([
                    "began": began(trace).map { JSONText.value($0) }, "took": .string(took(trace.course)),
                    "spanCount": .integer(trace.spans.count),
                ])
            }, next: traces.first.map { "storebus trace \($0.traceId)" }, ifEmpty: "no requests are kept"
        ) { trace in
            [
                trace.traceId, began(trace).map(Format.time) ?? "-", took(trace.course), trace.spans.first?.name ?? "-",
                trace.spans.first?.service ?? "-", "\(trace.spans.count)", trace.spans.first?.error ?? "-",
            ]
        }
    }

    static func waterfall(_ trace: TracesResponse.Trace) -> CommandResult {
        let rows = trace.rows
        let facts = "trace  \(trace.traceId)  \(began(trace).map(Format.time) ?? "")\n"
        let table = Table(["SPAN", "SERVICE", .right("TOOK"), "ERROR", "COURSE"], rows) { row in
            [
                String(repeating: "  ", count: row.depth) + row.span.name, row.span.service,
                took(row.span.durationMicros), row.span.error ?? "-", course(row.span, trace),
            ]
        }
        let data = JSONText.value(trace).with([
            "began": began(trace).map { JSONText.value($0) },
            "spans": .array(
                rows.map { row in
                    JSONText.value(row.span).with([
                        "took": .string(took(row.span.durationMicros)), "course": .string(course(row.span, trace)),
                    ])
                }),
        ])
        return CommandResult(data: data, names: [trace.traceId], next: "storebus logs --trace \(trace.traceId)") {
            style in
            facts + table.text(style)
        }
    }

    private static func began(_ trace: TracesResponse.Trace) -> Timestamp? {
        trace.spans.first.map { Timestamp(milliseconds: $0.startedAtMicros / 1_000) }
    }

    /// `12.40 ms`
    private static func took(_ micros: Int64) -> String {
        let hundredths = micros / 10 % 100
        return "\(micros / 1_000).\(hundredths < 10 ? "0" : "")\(hundredths) ms"
    }

    /// A bar below the time of the whole trace. The shortest has a width too.
    private static func course(_ span: TraceSpan, _ trace: TracesResponse.Trace) -> String {
        let (whole, start) = (max(1, trace.course), trace.spans.first?.startedAtMicros ?? 0)
        let width = Int64(courseWidth)
        let before = min(width - 1, max(0, (span.startedAtMicros - start) * width / whole))
        let length = max(1, min(width - before, span.durationMicros * width / whole))
        return String(repeating: " ", count: Int(before)) + String(repeating: "█", count: Int(length))
    }
}

extension TracesResponse.Trace {
    /// Microseconds from the first beginning to the last end.
    fileprivate var course: Int64 {
        guard let start = spans.first?.startedAtMicros else { return 0 }
        return (spans.map { $0.startedAtMicros + $0.durationMicros }.max() ?? start) - start
    }

    /// The spans below their parents, with their depths. One whose parent is missing is at the beginning of a line.
    fileprivate var rows: [(span: TraceSpan, depth: Int)] {
        let known = Set(spans.map(\.spanId))
        let children = Dictionary(grouping: spans) { span in span.parentSpanId.flatMap { known.contains($0) ? $0 : nil }
        }
        var rows: [(span: TraceSpan, depth: Int)] = []
        var waiting = (children[nil] ?? []).reversed().map { (span: $0, depth: 0) }
        while let next = waiting.popLast() {
            rows.append(next)
            // A process could name a span as its own parent.
            guard rows.count < spans.count else { break }
            waiting += (children[next.span.spanId] ?? []).reversed().map { (span: $0, depth: next.depth + 1) }
        }
        return rows
    }
}
