import StoreModels

/// One line of a service's log.
struct LogLine: Hashable, Sendable {
    /// From the lowest to the highest.
    static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    var service: String
    /// As the line has it, ISO 8601; that of the line before when it has none.
    var time: String
    var level: String
    var message: String
    /// What else the line says, sorted.
    var fields: [String]
    var json: JSONValue

    /// - Parameter before: the time of the line before, for one that is no JSON, such as a part of a crash report.
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

    /// Whether it was written for a request, named by the beginning of its trace.
    func isOf(trace: String) -> Bool {
        json["traceID"]?.stringValue?.lowercased().hasPrefix(trace.lowercased()) == true
    }

    /// `10:00:04.161  info     payment-queue  serving  endpoints=10`
    func text(_ style: Style) -> String {
        let clock = time.split(separator: "T").last.map { String($0.prefix { $0 != "Z" }) } ?? time
        let words = [Self.pad(clock, 12), style.paint(Self.pad(level, 7), .of(state: level)), Self.pad(service, 20)]
        return (words + [Table.onOneLine(message)] + fields.map(Table.onOneLine)).joined(separator: "  ") + "\n"
    }

    /// Those of at least that level, in the order of their times; those of one time stay in the order they came.
    static func merge(_ lines: [LogLine], atLeast level: String) -> [LogLine] {
        let least = levels.firstIndex(of: level) ?? 0
        return lines.enumerated()
            .filter { (levels.firstIndex(of: $1.level) ?? levels.count) >= least }
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
