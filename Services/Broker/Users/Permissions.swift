import BusProtocol

/// A user's permissions, prepared for a check with every message. The open user has none.
package final class Permissions: Sendable {
    /// A user's right to publish to a subject. It depends on both only, so it may be cached with a route.
    package enum Publishing: Sendable, Equatable {
        case allowed
        /// Allowed only as a reply, with a grant.
        case withGrant
        /// Denied, even as a reply.
        case denied
    }

    /// The rules of the users file.
    package let rules: PermissionRules
    private let publishAllowed: SubjectList?
    private let publishDenied: SubjectList
    private let subscribeAllowed: SubjectList?

    /// Prepares rules for checks.
    package init(_ rules: PermissionRules) {
        self.rules = rules
        publishAllowed = rules.pub.allow.map(SubjectList.init)
        publishDenied = SubjectList(rules.pub.deny)
        subscribeAllowed = rules.sub.allow.map(SubjectList.init)
    }

    /// Returns the right to publish to a legal subject. Another check requires a grant for foreign inboxes.
    package func publishing(to subject: Span<UInt8>) -> Publishing {
        if publishDenied.takes(subject) { return .denied }
        guard let publishAllowed else { return Self.isSystem(subject) ? .withGrant : .allowed }
        return publishAllowed.covers(subject) ? .allowed : .withGrant
    }

    /// Returns the reason why a subscription is rejected, or nil when it is allowed.
    ///
    /// - Parameters:
    ///   - traced: The traced pattern, `a.>` of `$SYS.TAP.a.>`. Nil for an ordinary subscription.
    ///   - isOwnInbox: Whether it is under the connection's inbox, which needs no `allow`.
    func refusal(
        of pattern: SubjectPattern, traced: SubjectPattern? = nil, queue: QueueName?, isOwnInbox: Bool
    ) -> String? {
        if let queue, let queues = rules.queues, !queues.contains(queue) {
            return "this user may not join the queue group '\(queue)'"
        }
        if let denied = denied(pattern) ?? traced.flatMap(denied) {
            return "'\(pattern)' overlaps '\(denied)', which is denied to this user"
        }
        let bytes = pattern.text.utf8.span
        let isAllowed = subscribeAllowed?.covers(bytes) ?? !Self.isSystem(bytes)
        return isAllowed || isOwnInbox ? nil : "this user may not subscribe to '\(pattern)'"
    }

    /// Returns the denied pattern that overlaps with a subscription, or nil without one.
    private func denied(_ pattern: SubjectPattern) -> SubjectPattern? {
        let bytes = pattern.text.utf8.span
        let first = bytes[0]
        let startsWild = first == UInt8(ascii: "*") || first == UInt8(ascii: ">")
        return rules.sub.deny.first { denied in
            // A subscription that begins with a wildcard never gets messages of inboxes and of subjects under `$`.
            if startsWild, SubjectSyntax.isHiddenFromWildcards(denied.text.utf8.span) { return false }
            return PatternRelation.overlap(denied.text.utf8.span, bytes)
        }
    }

    static func isSystem(_ subject: Span<UInt8>) -> Bool { subject.starts(with: "$SYS.") }
}

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
