import BusClient
import BusService
import CurlLoop
import StoreModels

/// Sends the spans of all processes to a collector, by OTLP over HTTP with JSON.
struct TraceExporter: Sendable {
    let settings: OTLPSettings
    /// Asks the processes for their spans behind these numbers, by instance.
    let ask: @Sendable (_ after: [String: Int64]) async throws(CLIError) -> [SpansResponse]
    /// Posts a body and returns the response's status.
    let post: @Sendable (_ body: [UInt8], _ settings: OTLPSettings) async throws(CLIError) -> Int
    /// Tells a failure, the first of several.
    let tell: @Sendable (Advice) -> Void

    private static let interval = Duration.seconds(1)
    /// Spans of one request.
    static let batchMax = 512

    /// The spans that were sent, and the number of the last one by instance.
    struct Progress: Hashable, Sendable {
        var after: [String: Int64] = [:]
        /// Spans that processes displaced before they were asked for.
        var missed: Int64 = 0
        var sent = 0
        var isFailing = false
    }

    /// Exports until the task is cancelled, and then the last spans, unless the last request failed.
    func run() async -> Progress {
        var progress = Progress()
        while !Task.isCancelled {
            await step(&progress)
            try? await ContinuousClock().sleep(for: Self.interval)
        }
        let reached = progress
        // A collector that does not answer would hold a store that stops.
        guard !reached.isFailing else { return reached }
        // A cancelled task would not send the requests.
        return await Task {
            var progress = reached
            await step(&progress)
            return progress
        }.value
    }

    /// Sends the spans that have ended since the last step. Those that the collector did not take now are asked for
    /// again. Those that it refuses for good count as missed.
    func step(_ progress: inout Progress) async {
        // A bus that is away comes back, or ends with the store.
        guard let replies = try? await ask(progress.after) else { return }
        var failure: CLIError?
        for reply in replies {
            guard let last = reply.last, let missed = reply.missed else { continue }
            var number = last - Int64(reply.spans.count)
            for start in stride(from: 0, to: reply.spans.count, by: Self.batchMax) {
                let batch = Array(reply.spans[start...].prefix(Self.batchMax))
                do throws(CLIError) {
                    let status = try await post(Self.body(batch, reply, settings), settings)
                    if (200..<300).contains(status) {
                        progress.sent += batch.count
                    } else if (400..<500).contains(status), status != 408, status != 429 {
                        progress.missed += Int64(batch.count)
                        failure = CLIError(
                            .answerInvalid, "\(settings.url) refused \(batch.count) spans with \(status)")
                    } else {
                        throw CLIError(.answerInvalid, "\(settings.url) answered \(status)")
                    }
                } catch {
                    failure = error
                    break
                }
                number += Int64(batch.count)
            }
            if number > progress.after[reply.id] ?? 0 { progress.missed += missed }
            progress.after[reply.id] = number
            // The other processes' would wait for the same collector, each until its timeout.
            if number < last { break }
        }
        if let failure, !progress.isFailing { tell("traces are not exported: \(failure.message)") }
        progress.isFailing = failure != nil
    }

    /// The body of a request, `ExportTraceServiceRequest` of opentelemetry-proto as JSON.
    static func body(_ spans: [TraceSpan], _ process: SpansResponse, _ settings: OTLPSettings) -> [UInt8] {
        let own = [
            ("service.name", process.name), ("service.instance.id", process.id), ("service.version", process.version),
        ]
        let resource = own + settings.resource.filter { pair in !own.contains { $0.0 == pair.0 } }
        let document: JSONValue = [
            "resourceSpans": .array([
                [
                    "resource": ["attributes": attributes(resource)],
                    "scopeSpans": .array([
                        [
                            "scope": ["name": "storebus", "version": .string(StorebusVersion.number)],
                            "spans": .array(spans.map(span)),
                        ]
                    ]),
                ]
            ])
        ]
        return Array(JSONText.line(document).utf8)
    }

    private static func span(_ span: TraceSpan) -> JSONValue {
        let kind =
            switch span.kind {
            case .internal: 1
            case .server: 2
            case .client: 3
            }
        let members: JSONValue = [
            "traceId": .string(span.traceId), "spanId": .string(span.spanId), "name": .string(span.name),
            "kind": .integer(kind), "startTimeUnixNano": .string("\(span.startedAtMicros)000"),
            "endTimeUnixNano": .string("\(span.startedAtMicros + span.durationMicros)000"),
            "attributes": attributes(span.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
        ]
        return members.with([
            "parentSpanId": span.parentSpanId.map { .string($0) },
            "status": span.error.map { ["code": 2, "message": .string($0)] },
        ])
    }

    private static func attributes(_ pairs: [(String, String)]) -> JSONValue {
        .array(pairs.map { ["key": .string($0), "value": ["stringValue": .string($1)]] })
    }
}

/// Where traces go, by OpenTelemetry's variables.
struct OTLPSettings: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// The address of the collector's traces.
    let url: String
    var headers: [Header] = []
    /// Further attributes of each process.
    var resource: [(String, String)] { resourceHeaders.map { ($0.name, $0.value) } }
    private var resourceHeaders: [Header] = []

    private static let base = "OTEL_EXPORTER_OTLP_ENDPOINT"
    private static let ofTraces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

    /// Reads the variables.
    /// - Returns: Nil if none names a collector, or OpenTelemetry is turned off.
    /// - Throws: `usage` for a protocol that is not spoken.
    static func find(_ variables: [String: String]) throws(CLIError) -> OTLPSettings? {
        // Shells and CI systems unset a variable so.
        let variables = variables.filter { !$0.value.isEmpty }
        guard variables["OTEL_SDK_DISABLED"]?.lowercased() != "true" else { return nil }
        let url =
            variables[ofTraces]
            ?? variables[base].map { base in (base.hasSuffix("/") ? base : "\(base)/") + "v1/traces" }
        guard let url else { return nil }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CLIError(
                .usage, "'\(url)' (\(variables[ofTraces] == nil ? base : ofTraces)) is not an address of HTTP",
                hints: ["for example \(base)=http://localhost:4318"])
        }
        for name in ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] {
            guard let spoken = variables[name] else { continue }
            guard spoken == "http/json" else {
                throw CLIError(
                    .usage, "\(name) is '\(spoken)', and only http/json is spoken here",
                    hints: ["set \(name)=http/json, and the collector's port for HTTP, mostly 4318"])
            }
            break
        }
        return OTLPSettings(
            url: url,
            headers: pairs(variables["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? variables["OTEL_EXPORTER_OTLP_HEADERS"]),
            resourceHeaders: pairs(variables["OTEL_RESOURCE_ATTRIBUTES"]))
    }

    private init(url: String, headers: [Header], resourceHeaders: [Header]) {
        self.url = url
        self.headers = headers
        self.resourceHeaders = resourceHeaders
    }

    private static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ part: Substring) -> String {
        var part = part
        while part.first == " " { part.removeFirst() }
        while part.last == " " { part.removeLast() }
        return String(part)
    }

    /// Reads `name=value,name=value`, whose values may have bytes as `%20`.
    private static func pairs(_ text: String?) -> [Header] {
        var headers: [Header] = []
        for pair: Substring in (text ?? "").split(separator: ",") {
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let value = trimmed(pair[pair.index(after: equals)...])
            headers.append(Header(name: trimmed(pair[..<equals]), value: decoded(value)))
        }
        return headers
    }
}

extension TraceExporter {
    /// Timeout of a request to the collector.
    private static let time = Duration.seconds(5)
    private static let bound = CurlBodyBound(bytesMax: 64 * 1024, isCut: true)

    /// Makes an exporter over the bus.
    init(_ settings: OTLPSettings, bus: any BusClient, tell: @escaping @Sendable (Advice) -> Void) {
        self.init(
            settings: settings,
            ask: { after throws(CLIError) in
                try await callingBus { () throws(BusError) in
                    try await ServiceDiscovery(bus).spans(after: after)
                }
            },
            post: { body, settings throws(CLIError) in
                let headers = settings.headers.map { (name: $0.name, value: $0.value) }
                let response = await CurlConnections.exchange(
                    CurlRequest(
                        "POST", settings.url, headers: [("Content-Type", "application/json")] + headers,
                        body: .bytes(body)), within: Self.time, Self.bound)
                if let failure = response.failure {
                    throw CLIError(.serverUnreachable, "\(settings.url): \(failure.reason)")
                }
                return response.status ?? 0
            }, tell: tell)
    }
}
