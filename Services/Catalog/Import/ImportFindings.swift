import StoreModels

/// Collects what is wrong with a file, so that one refusal names everything, and what had to be assumed.
struct ImportFindings: Sendable {
    /// A file with more faults than this is not a file of the kind at all; the rest is counted.
    static let problemsMax = 50
    static let notesMax = 50

    private(set) var problems: [ImportProblem] = []
    private(set) var problemCount = 0
    private(set) var notes: [String] = []

    mutating func refuse(_ path: String, _ reason: String, allowed: [String] = []) {
        problemCount += 1
        if problems.count < Self.problemsMax {
            problems.append(ImportProblem(path: path, reason: reason, allowed: allowed))
        }
    }

    mutating func note(_ sentence: String) {
        if notes.count < Self.notesMax { notes.append(sentence) }
    }

    /// The refusal: `catalogInvalid` with `details.problems` and `details.problemCount`.
    func error(fileName: String) -> StoreError {
        let more = problemCount > 1 ? " (and \(problemCount - 1) more)" : ""
        return StoreError(
            .catalogInvalid,
            "\(fileName): \(problems.first?.sentence ?? "cannot be read")\(more); nothing was imported",
            details: ["problems": .array(problems.map(\.json)), "problemCount": .integer(problemCount)])
    }
}
