import BusProtocol

/// A list of patterns, prepared for frequent checks.
///
/// Entries are checked in order: lists are short, most entries differ within the first token, and callers may cache the
/// result.
struct SubjectList: Sendable {
    private let entries: [[UInt8]]

    init(_ patterns: [SubjectPattern]) {
        entries = patterns.map { Array($0.text.utf8) }
    }

    /// Whether one entry matches all subjects that a pattern matches.
    ///
    /// Only an entry that begins with `$SYS.` matches subjects under it.
    func covers(_ pattern: Span<UInt8>) -> Bool {
        let isSystem = Permissions.isSystem(pattern)
        for entry in entries where !isSystem || Permissions.isSystem(entry.span) {
            if PatternRelation.covers(entry.span, pattern) { return true }
        }
        return false
    }

    /// Whether one entry matches a subject. Its wildcards have no exceptions.
    func takes(_ subject: Span<UInt8>) -> Bool {
        for entry in entries where PatternRelation.covers(entry.span, subject) { return true }
        return false
    }
}
