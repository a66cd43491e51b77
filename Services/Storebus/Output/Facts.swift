/// Names and values, one a line, the values below each other:
///
/// ```
/// product     com.example.pro.monthly
/// price       9.99 USD a month
/// ```
struct Facts: Sendable {
    private var lines: [(name: String, value: String, isState: Bool)] = []

    init() {}

    /// - Parameter value: nothing is added for nil.
    mutating func add(_ name: String, _ value: String?, isState: Bool = false) {
        guard let value else { return }
        lines.append((name, Table.onOneLine(value), isState))
    }

    func text(_ style: Style) -> String {
        let width = lines.map(\.name.count).max() ?? 0
        return lines.map { line in
            let space = String(repeating: " ", count: width - line.name.count + 2)
            // The first word is the state; what follows explains it.
            let state = line.value.prefix { $0 != " " && $0 != "," }
            let value =
                line.isState
                ? style.paint(String(state), .of(state: String(state))) + line.value.dropFirst(state.count) : line.value
            return line.name + space + value + "\n"
        }.joined()
    }
}
