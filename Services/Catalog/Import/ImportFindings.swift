import StoreModels

/// Collects a file's problems, for one error, and notes about the import.
struct ImportFindings: Sendable {
    /// Maximum number of problems in the error. Further ones are only counted. A file with more is probably of another
    /// kind.
    static let problemsMax = 50
    /// Maximum number of notes. Further ones are dropped.
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

    /// Returns the error `catalogInvalid`, with `details.problems` and `details.problemCount`.
    func error(fileName: String) -> StoreError {
        let more = problemCount > 1 ? " (and \(problemCount - 1) more)" : ""
        return StoreError(
            .catalogInvalid,
            "\(fileName): \(problems.first?.sentence ?? "cannot be read")\(more); nothing was imported",
            details: ["problems": .array(problems.map(\.json)), "problemCount": .integer(problemCount)])
    }
}
