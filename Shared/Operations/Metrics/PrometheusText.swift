/// The names and lines of Prometheus' text format.
enum PrometheusText {
    /// A legal metric name: letters, digits, `_` and `:`, no digit first.
    static func name(_ text: String) -> String {
        let name = String(text.map { isNameCharacter($0) ? $0 : "_" })
        return name.first?.isNumber == false ? name : "_\(name)"
    }

    /// `endpoint="queue.add",code="ok"`, sorted by name. Empty without labels.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(name($0.0))=\"\(escaped($0.1))\"" }
            .joined(separator: ",")
    }

    /// The lines of one label set.
    static func append(
        _ name: String, _ labels: String, _ value: MetricSeries.Value, _ kind: MetricKind, to page: inout String
    ) {
        switch kind {
        case .counter, .gauge:
            page += line(name, labels, number(value.number))
        case .summary:
            page += line("\(name)_sum", labels, number(value.number)) + line("\(name)_count", labels, "\(value.count)")
        case .histogram:
            var sum = 0
            for (bound, count) in zip(MetricSeries.bounds, value.buckets) {
                sum += count
                page += line("\(name)_bucket", joined(labels, "le=\"\(number(bound))\""), "\(sum)")
            }
            page += line("\(name)_bucket", joined(labels, "le=\"+Inf\""), "\(value.count)")
            page += line("\(name)_sum", labels, number(value.number)) + line("\(name)_count", labels, "\(value.count)")
        }
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private static func joined(_ labels: String, _ label: String) -> String {
        labels.isEmpty ? label : "\(labels),\(label)"
    }

    /// Whole numbers without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_" || character == ":")
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}
