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

    package var description: String { text }
}
