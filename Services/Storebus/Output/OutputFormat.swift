import ArgumentParser

/// `-o`.
package enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Tables and sentences.
    case human
    /// One document, `{"data":…}`, with everything the table shows and more; a stream prints one event a line.
    case json
}
