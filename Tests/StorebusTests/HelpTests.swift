import ArgumentParser
import Glibc
import Testing

@testable import Storebus

/// Help is documentation: it has an example, and `docs/cli.md` is made of it.
@Suite struct HelpTests {
    private static let mark =
        "<!-- Below: storebus COMMAND --help, kept by HelpTests; STOREBUS_GOLDEN=write renews it. -->\n"

    private static var writesGolden: Bool { getenv("STOREBUS_GOLDEN").map { String(cString: $0) } == "write" }

    private static var document: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/docs/cli.md"
    }

    @Test func `every command's help has an example of it`() {
        for entry in CommandReference.entries {
            let words = "storebus \(entry.path.joined(separator: " "))"
            let discussion = entry.command.configuration.discussion
            #expect(discussion.contains(words), "\(words)")
            #expect(!entry.command.configuration.abstract.isEmpty, "\(words)")
        }
    }

    @Test func `every example of every help is a command line that is understood`() async throws {
        var count = 0
        for entry in CommandReference.entries {
            for line in entry.command.configuration.discussion.split(separator: "\n") {
                guard let arguments = Self.example(line) else { continue }
                count += 1
                await #expect(throws: Never.self, "\(line)") {
                    _ = try await StorebusCommand.asyncParseAsRoot(arguments)
                }
            }
        }
        #expect(count > 60)
    }

    /// The words behind `storebus` of a line that begins with it; nil for other lines.
    private static func example(_ line: Substring) -> [String]? {
        guard line.hasPrefix("storebus ") else { return nil }
        var words: [String] = []
        for word in line.split(separator: " ").dropFirst().map(String.init) {
            if [">", ">>", "|"].contains(word) { break }
            words.append(word.filter { $0 != "'" })
        }
        return words
    }

    @Test func `docs cli md has every command's help`() throws {
        let text = try #require(FileAccess.text(Self.document))
        let parts = text.split(separator: Self.mark, maxSplits: 1).map(String.init)
        let generated = "\n" + CommandReference.text
        if Self.writesGolden {
            try FileAccess.write(Array((parts[0] + Self.mark + generated).utf8), to: Self.document, mode: 0o644)
            return
        }
        try #require(parts.count == 2)
        let (written, expected) = (parts[1].split(separator: "\n"), generated.split(separator: "\n"))
        // Not the lists themselves: their difference takes minutes.
        let place = zip(written, expected).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(place == nil && written.count == expected.count, "the first difference: \(String(describing: place))")
    }

    @Test func `help of the whole fits a screen's width`() async {
        let (_, said) = await Recorder.run(["--help"])
        for line in said.result.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        for entry in CommandReference.entries where entry.path.count == 1 {
            #expect(said.result.contains("  \(entry.path[0])"), "\(entry.path[0])")
        }
    }
}
