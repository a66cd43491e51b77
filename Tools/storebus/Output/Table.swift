import ArgumentParser

/// A table with a header. Columns are as wide as their widest cell, two spaces apart, on a terminal and
/// in a pipe.
struct Table: Hashable, Sendable {
    /// The alignment of a column's cells.
    enum Alignment: Hashable, Sendable { case left, right }

    struct Column: Hashable, Sendable, ExpressibleByStringLiteral {
        var title: String
        var alignment = Alignment.left
        /// Whether the cells are states, which a terminal shows in colour.
        var isState = false

        init(stringLiteral title: String) { self.title = title }

        static func right(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.alignment = .right
            return column
        }

        static func state(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.isState = true
            return column
        }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// Creates the table of these items, a row each.
    init<Item>(_ columns: [Column], _ items: some Sequence<Item>, _ cells: (Item) -> [String]) {
        self.columns = columns
        for item in items { add(cells(item)) }
    }

    /// - Precondition: One cell for each column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row needs one cell for each column")
        rows.append(cells.map(Self.onOneLine))
    }

    /// The table as text, without trailing spaces.
    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let titles = columns.map(\.title)
        let header = line(titles, widths(with: [titles]), style) { _ in .strong }
        return header + lines(style, widths(with: [titles])).joined()
    }

    /// The rows without the header.
    func lines(_ style: Style) -> [String] { lines(style, widths(with: [])) }

    private func widths(with others: [[String]]) -> [Int] {
        columns.indices.map { column in (others + rows).map { $0[column].count }.max() ?? 0 }
    }

    private func lines(_ style: Style, _ widths: [Int]) -> [String] {
        rows.map { row in line(row, widths, style) { columns[$0].isState ? .of(state: row[$0]) : nil } }
    }

    private func line(
        _ cells: [String], _ widths: [Int], _ style: Style, _ tone: (Int) -> Style.Tone?
    ) -> String {
        // Trailing spaces are cut, also before the end of a colour.
        let last = cells.lastIndex { !$0.isEmpty } ?? -1
        var text = ""
        for column in 0..<(last + 1) {
            let space = String(repeating: " ", count: widths[column] - cells[column].count)
            let cell = style.paint(cells[column], tone(column))
            if column > 0 { text += "  " }
            if columns[column].alignment == .right { text += space + cell } else { text += cell }
            if columns[column].alignment == .left, column < last { text += space }
        }
        return text + "\n"
    }

    /// Removes line feeds and escape sequences from foreign text, such as a product's title.
    static func onOneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}

/// Names and values, one a line, the values below each other:
///
/// ```
/// product     com.example.pro.monthly
/// price       9.99 USD a month
/// ```
struct FieldList: Sendable, ExpressibleByDictionaryLiteral {
    private var lines: [(name: String, value: String)] = []

    /// The names of values that begin with a state.
    private static let states: Set = ["state", "available", "promoted", "eligibility"]

    /// - Parameter elements: Those without a value are left out.
    init(dictionaryLiteral elements: (String, String?)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// - Parameter value: Nil adds nothing.
    mutating func add(_ name: String, _ value: String?) {
        if let value { lines.append((name, Table.onOneLine(value))) }
    }

    static func += (fields: inout FieldList, more: FieldList) { fields.lines += more.lines }

    func text(_ style: Style) -> String {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { line in
            let space = String(repeating: " ", count: width - line.name.count + 2)
            // The first word is the state; the rest explains it.
            let state = line.value.prefix { $0 != " " && $0 != "," }
            let value =
                Self.states.contains(line.name)
                ? style.paint(String(state), .of(state: String(state))) + line.value.dropFirst(state.count) : line.value
            return line.name + space + value + "\n"
        }.joined()
    }
}

/// The colours of one stream, or none. Colours repeat the meaning of words.
struct Style: Hashable, Sendable {
    var isOn: Bool

    static let plain = Style(isOn: false)

    /// The meaning of a colour.
    enum Tone: String, Sendable {
        case good = "32"
        case bad = "31"
        case waiting = "33"
        case strong = "1"

        /// The colour of a state: of a transaction, a service or a check.
        static func of(state: String) -> Tone? {
            switch state {
            case "purchased", "restored", "finished", "pass", "ready", "answering", "yes", "ok", "subscribed",
                "resubscribed", "renewed", "recovered", "eligible", "delivered", "SUCCESS":
                .good
            case "failed", "cancelled", "fail", "away", "unavailable", "error", "critical", "expired", "revoked",
                "billingFailed", "ineligible":
                .bad
            case "inGracePeriod", "inBillingRetryPeriod", "gracePeriodStarted", "billingRetryStarted", "unknown",
                "purchasing", "deferred", "running", "waiting", "active", "paused", "warn", "warning", "not ready",
                "unfinished", "pending", "retrying", "noEndpoint":
                .waiting
            default: nil
            }
        }
    }

    func paint(_ text: String, _ tone: Tone?) -> String {
        guard isOn, let tone, !text.isEmpty else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
    case auto, always, never

    /// Whether a stream has colours: by the flag, then `NO_COLOR`, then `CLICOLOR_FORCE`, then by the kind of stream.
    func isOn(onTerminal: Bool, isDumb: Bool, variables: [String: String]) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        if variables["NO_COLOR"] != nil { return false }
        if let forced = variables["CLICOLOR_FORCE"], forced != "0" { return true }
        return onTerminal && !isDumb && variables["CLICOLOR"] != "0"
    }
}
