/// An identifier as it was typed: whole, or its end, `…0001`.
struct TypedIdentifier: Sendable {
    /// The text as it was typed.
    let text: String
    /// The text without an ellipsis.
    let wanted: String

    /// Minimum length of an end that names the object of a change. A shorter one may be a slip that hits another.
    static let changedEndMin = 4

    init(_ text: String) {
        self.text = text
        wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
    }

    /// Whether an identifier ends so. An empty text is the end of none.
    func isEnd(of identifier: String?) -> Bool { !wanted.isEmpty && identifier?.hasSuffix(wanted) == true }

    /// Checks the length of an end that names the object of a change.
    /// - Parameter matches: The identifiers that end so.
    /// - Throws: `usage` with the matches.
    func checkLength(of matches: [String]) throws(CLIError) {
        guard wanted.count < Self.changedEndMin else { return }
        let named: [Advice] = matches.isEmpty ? [] : ["it is the end of \(matches.prefix(4).joined(separator: ", "))"]
        throw CLIError(
            .usage, "'\(text)' is too short to name what the command changes",
            hints: ["give at least \(Self.changedEndMin) characters, such as 0001"] + named)
    }
}
