import BusProtocol

/// Patterns made ready for being asked often.
///
/// They are walked in order: lists are short, most entries differ within the first token, and what was found out for a
/// subject may be remembered by whoever asks.
struct SubjectList: Sendable {
    private let entries: [[UInt8]]

    init(_ patterns: [SubjectPattern]) {
        entries = patterns.map { Array($0.text.utf8) }
    }

    /// Whether one entry takes everything that a subject or pattern takes.
    ///
    /// What is under `$SYS.` must be named: only an entry that begins with it counts there.
    func covers(_ pattern: Span<UInt8>) -> Bool {
        let isSystem = Permissions.isSystem(pattern)
        for entry in entries where !isSystem || Permissions.isSystem(entry.span) {
            if PatternRelation.covers(entry.span, pattern) { return true }
        }
        return false
    }

    /// Whether one entry takes a subject, in the plain sense of its wildcards.
    func takes(_ subject: Span<UInt8>) -> Bool {
        for entry in entries where PatternRelation.covers(entry.span, subject) { return true }
        return false
    }
}
