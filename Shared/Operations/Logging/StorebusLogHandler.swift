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
    /// The logger's own metadata; `Logger` changes it.
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    private let service: String
    private let instance: String
    private let format: LogFormat
    private let output: @Sendable (_ line: [UInt8], _ isUrgent: Bool) -> Void

    /// - Parameter output: Gets whole lines; an urgent one, of a warning or worse, has to be out when it returns.
    init(
        service: String, instance: String, level: Logger.Level, format: LogFormat,
        output: @escaping @Sendable (_ line: [UInt8], _ isUrgent: Bool) -> Void = {
            LineWriter.standardError.add($0, isUrgent: $1)
        }
    ) {
        self.service = service
        self.instance = instance
        self.format = format
        self.output = output
        logLevel = level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { _, new in new } }
        if let own = event.metadata { fields.merge(own) { _, new in new } }
        if let error = event.error { fields["error"] = "\(error)" }
        let time = Timestamp.wallClock().description
        let line =
            switch format {
            case .json: jsonLine(event, time, fields)
            case .text: textLine(event, time, fields)
            }
        output(line, event.level >= .warning)
    }

    private func jsonLine(_ event: LogEvent, _ time: String, _ fields: Logger.Metadata) -> [UInt8] {
        var line = Array("{\"time\":\"\(time)\",\"level\":\"\(event.level)\"".utf8)
        Self.append("service", service, to: &line)
        Self.append("instance", instance, to: &line)
        Self.append("message", "\(event.message)", to: &line)
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !Self.reserved.contains(name) {
            Self.append(name, "\(value)", to: &line)
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    private static let reserved: Set = ["time", "level", "service", "instance", "message"]

    private static func append(_ name: String, _ value: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: ","))
        JSONText.append(name, to: &line)
        line.append(UInt8(ascii: ":"))
        JSONText.append(value, to: &line)
    }

    private func textLine(_ event: LogEvent, _ time: String, _ fields: Logger.Metadata) -> [UInt8] {
        let clock = time.dropFirst(11).dropLast()
        let level = "\(event.level)".padding(to: 8)
        let pairs = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        // An event stays one line, even when its values contain line breaks.
        let text = "\(clock) \(level) \(service): \(event.message)\(pairs)"
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
