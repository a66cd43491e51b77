/// A pattern to subscribe to, legal by construction. `*` matches one token, and a final `>` one or more.
package struct SubjectPattern: Hashable, Sendable, CustomStringConvertible {
    /// The text as it travels.
    package let text: String
    /// Whether it has no wildcard and so matches one subject only.
    package let isLiteral: Bool

    /// Checks a text.
    ///
    /// - Throws: `bad_subject`.
    package init(_ text: String) throws(BusViolation) {
        guard SubjectSyntax.isPattern(text.utf8.span) else {
            throw BusViolation(.badSubject, "'\(text.prefix(80))' is not a subject pattern")
        }
        self.text = text
        isLiteral = !text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }
    }

    /// Whether the pattern takes a subject. A wildcard as the first token takes none that begins with `_INBOX` or `$`.
    package func matches(_ subject: Subject) -> Bool {
        SubjectSyntax.matches(pattern: text.utf8.span, subject: subject.text.utf8.span)
    }

    /// The text as it travels.
    package var description: String { text }
}

/// A subject that may be published to, such as `sb.catalog.v1.products.get`. Legal by construction.
package struct Subject: Hashable, Sendable, CustomStringConvertible {
    /// The text as it travels.
    package let text: String

    /// Checks a text.
    ///
    /// - Throws: `bad_subject`.
    package init(_ text: String) throws(BusViolation) {
        guard SubjectSyntax.isSubject(text.utf8.span) else {
            throw BusViolation(.badSubject, "'\(text.prefix(80))' is not a subject")
        }
        self.text = text
    }

    /// The text as it travels.
    package var description: String { text }
}

/// The name of a queue group: one token of at most 64 bytes. Legal by construction.
package struct QueueName: Hashable, Sendable, CustomStringConvertible {
    /// The text as it travels.
    package let text: String

    /// Checks a text.
    ///
    /// - Throws: `bad_queue`.
    package init(_ text: String) throws(BusViolation) {
        guard SubjectSyntax.isQueue(text.utf8.span) else {
            throw BusViolation(.badQueue, "'\(text.prefix(80))' is not a queue name")
        }
        self.text = text
    }

    /// The text as it travels.
    package var description: String { text }
}
