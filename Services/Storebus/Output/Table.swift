/// Rows under a header, each column as wide as its widest cell, two spaces between. The same text on a terminal and in
/// a pipe.
package struct Table: Hashable, Sendable {
    /// How a column's cells stand.
    package enum Alignment: Hashable, Sendable { case left, right }

    package struct Column: Hashable, Sendable {
        package var title: String
        package var alignment: Alignment
        package init(_ title: String, _ alignment: Alignment = .left) {
            self.title = title
            self.alignment = alignment
        }
    }

    package let columns: [Column]
    package private(set) var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// - Precondition: one cell a column.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row needs one cell for each column")
        rows.append(cells.map(Self.onOneLine))
    }

    /// With a line feed at the end of every line and no spaces before it.
    package var text: String {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = columns.indices.map { Self.pad(row[$0], widths[$0], columns[$0].alignment) }
            return Self.trimmingEnd(cells.joined(separator: "  ")) + "\n"
        }.joined()
    }

    private static func pad(_ cell: String, _ width: Int, _ alignment: Alignment) -> String {
        let space = String(repeating: " ", count: width - cell.count)
        return alignment == .left ? cell + space : space + cell
    }

    private static func trimmingEnd(_ text: String) -> String {
        var text = Substring(text)
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// A product's title may hold anything; a line feed or an escape sequence in it must not reach a terminal.
    package static func onOneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}
