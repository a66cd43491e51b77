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

    package var description: String { text }
}
