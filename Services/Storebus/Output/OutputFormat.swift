import ArgumentParser

/// `-o`.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Tables and sentences.
    case human
    /// One document, `{"data":…,"next":…}`, with everything the table shows and more; a stream prints one event a line.
    case json
    /// The same data, one item of a list a line, without the document around it.
    case jsonl
    /// Identifiers only, one a line: what another command takes.
    case names

    /// Whether errors are JSON too.
    var isJSON: Bool { self == .json || self == .jsonl }
}
