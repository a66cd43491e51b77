/// The names of a statement's columns, shared by all rows of all its results.
final class SQLColumns: Sendable {
    let names: [String]
    private let indexes: [String: Int]

    init(_ names: [String]) {
        self.names = names
        // Of two columns with one name the first counts.
        indexes = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of name: String) -> Int? { indexes[name] }
}
