/// Rows under a header, each column as wide as its widest cell, two spaces between. The same columns on a terminal and
/// in a pipe.
struct Table: Hashable, Sendable {
    /// How a column's cells stand.
    enum Alignment: Hashable, Sendable { case left, right }

    struct Column: Hashable, Sendable {
        var title: String
        var alignment: Alignment
        /// Its cells are words for a state, which a terminal shows in colour.
        var isState: Bool
        init(_ title: String, _ alignment: Alignment = .left, isState: Bool = false) {
            self.title = title
            self.alignment = alignment
            self.isState = isState
        }
    }

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// - Precondition: one cell a column.
    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row needs one cell for each column")
        rows.append(cells.map(Self.onOneLine))
    }

    /// With a line feed at the end of every line and no spaces before it.
    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let titles = columns.map(\.title)
        let header = line(titles, widths(with: [titles]), style) { _ in .strong }
        return header + lines(style, widths(with: [titles])).joined()
    }

    /// The rows alone, for what stands under a sentence instead of a header.
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
        // Spaces at the end of a line are of no column; a colour must not keep them from being cut.
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

    /// A product's title may hold anything; a line feed or an escape sequence in it must not reach a terminal.
    static func onOneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}
