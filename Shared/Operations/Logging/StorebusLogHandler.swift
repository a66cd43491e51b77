import BusProtocol
import Logging
import StoreModels

/// Writes log events to standard error, one line each.
///
/// JSON: `{"time":"2026-11-21T10:00:00.004Z","level":"info","service":"catalog","instance":"9f2c…",`
/// `"message":"serving","endpoints":"9"}`, the metadata in alphabetical order. Text:
/// `10:00:00.004 info  catalog: serving endpoints=9`. Metadata keys are the vocabulary that all services share:
/// service instance subject endpoint requestIdentifier traceID bundleId customerIdentifier deviceId transaction
/// productIdentifier code status durationMs attempt error pid port path.
struct StorebusLogHandler: LogHandler {
    /// The logger's own metadata. `Logger` changes it.
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    /// The constant part in one object, because a logger is copied with each HTTP request.
    private let target: Target

    private final class Target: Sendable {
        let service: String
        let format: LogFormat
        /// The members `service` and `instance` of a JSON line, each with its comma before it.
        let origin: [UInt8]
        let output: @Sendable (_ line: [UInt8], _ isUrgent: Bool) -> Void

        init(
            _ service: String, _ format: LogFormat, _ origin: [UInt8],
            _ output: @escaping @Sendable (_ line: [UInt8], _ isUrgent: Bool) -> Void
        ) {
            (self.service, self.format, self.origin, self.output) = (service, format, origin, output)
        }
    }

    /// - Parameter output: Gets whole lines. An urgent one, of a warning or worse, has to be out when it returns.
    init(
        service: String, instance: String, level: Logger.Level, format: LogFormat,
        output: @escaping @Sendable (_ line: [UInt8], _ isUrgent: Bool) -> Void = {
            LineWriter.standardError.add($0, isUrgent: $1)
        }
    ) {
        var origin: [UInt8] = []
        Self.append("service", service, to: &origin)
        Self.append("instance", instance, to: &origin)
        target = Target(service, format, origin, output)
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = fields(of: event).sorted { $0.key < $1.key }
        let time = Timestamp.wallClock().description
        let line =
            switch target.format {
            case .json: jsonLine(event, time, fields)
            case .text: textLine(event, time, fields)
            }
        target.output(line, event.level >= .warning)
    }

    private func fields(of event: LogEvent) -> Logger.Metadata {
        let provided = metadataProvider?.get() ?? [:]
        // Most events have fields of one source, which are not copied.
        if metadata.isEmpty, provided.isEmpty, event.error == nil { return event.metadata ?? [:] }
        var fields = metadata
        fields.merge(provided) { _, new in new }
        if let own = event.metadata { fields.merge(own) { _, new in new } }
        if let error = event.error { fields["error"] = "\(error)" }
        return fields
    }

    private func jsonLine(_ event: LogEvent, _ time: String, _ fields: [Logger.Metadata.Element]) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        line.append(contentsOf: "{\"time\":\"".utf8)
        line.append(contentsOf: time.utf8)
        line.append(contentsOf: "\",\"level\":\"".utf8)
        line.append(contentsOf: event.level.rawValue.utf8)
        line.append(UInt8(ascii: "\""))
        line.append(contentsOf: target.origin)
        Self.append("message", "\(event.message)", to: &line)
        for (name, value) in fields where !Self.isReserved(name) {
            if case .string(let text) = value {
                Self.append(name, text, to: &line)
            } else {
                Self.append(name, "\(value)", to: &line)
            }
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    /// Whether the handler itself writes a member of this name.
    private static func isReserved(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name == "time"
        case 5: name == "level"
        case 7: name == "service" || name == "message"
        case 8: name == "instance"
        default: false
        }
    }

    private static func append(_ name: String, _ value: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: ","))
        JSONBytes.append(name, to: &line)
        line.append(UInt8(ascii: ":"))
        JSONBytes.append(value, to: &line)
    }

    private func textLine(_ event: LogEvent, _ time: String, _ fields: [Logger.Metadata.Element]) -> [UInt8] {
        let clock = time.dropFirst(11).dropLast()
        let level = "\(event.level)".padding(to: 8)
        let pairs = fields.map { " \($0.key)=\($0.value)" }.joined()
        // An event stays one line, even when its values contain line breaks.
        let text = "\(clock) \(level) \(target.service): \(event.message)\(pairs)"
        return Array("\(String(text.map { $0.isNewline ? " " : $0 }))\n".utf8)
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

/// The format of logs: lines for people, or JSON for machines.
enum LogFormat: String, CaseIterable, Sendable {
    case json
    case text
}
