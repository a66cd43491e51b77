import BusProtocol

/// What a user may do, made ready for being asked for every message. The open user has none: nothing is asked then.
package final class Permissions: Sendable {
    /// What a user may publish to a subject. It depends on nothing else, so it may be remembered beside a route.
    package enum Publishing: Sendable, Equatable {
        case allowed
        /// Only as an answer, while a grant lives.
        case withGrant
        /// Never, not even as an answer.
        case denied
    }

    /// The rules this was made from.
    package let rules: PermissionRules
    private let publishAllowed: SubjectList?
    private let publishDenied: SubjectList
    private let subscribeAllowed: SubjectList?

    package init(_ rules: PermissionRules) {
        self.rules = rules
        publishAllowed = rules.pub.allow.map(SubjectList.init)
        publishDenied = SubjectList(rules.pub.deny)
        subscribeAllowed = rules.sub.allow.map(SubjectList.init)
    }

    /// Whether a legal subject may be published to. That another's inbox needs a grant in any case is decided elsewhere.
    package func publishing(to subject: Span<UInt8>) -> Publishing {
        if publishDenied.takes(subject) { return .denied }
        guard let publishAllowed else { return Self.isSystem(subject) ? .withGrant : .allowed }
        return publishAllowed.covers(subject) ? .allowed : .withGrant
    }

    /// Why a subscription is refused; nil when it is allowed.
    ///
    /// - Parameters:
    ///   - traced: For a trace, what it sees: `a.>` of `$SYS.TAP.a.>`.
    ///   - isOwnInbox: The connection's own inbox has a name nobody can know before, so it needs no `allow`.
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

    /// The denied pattern that has a subject in common with what a subscription would get.
    private func denied(_ pattern: SubjectPattern) -> SubjectPattern? {
        let bytes = pattern.text.utf8.span
        let first = bytes[0]
        let startsWild = first == UInt8(ascii: "*") || first == UInt8(ascii: ">")
        return rules.sub.deny.first { denied in
            // A subscription that begins with a wildcard never gets inboxes and what is under `$`.
            if startsWild, SubjectSyntax.isHiddenFromWildcards(denied.text.utf8.span) { return false }
            return PatternRelation.overlap(denied.text.utf8.span, bytes)
        }
    }

    static func isSystem(_ subject: Span<UInt8>) -> Bool { subject.starts(with: "$SYS.") }
}
