import ArgumentParser
import StorebusTesting
import Testing

@testable import Storebus

/// Help is documentation: it has an example, and `docs/cli.md` is made of it.
@Suite struct HelpTests {
    private static let mark =
        "<!-- Below: storebus COMMAND --help, kept by HelpTests; STOREBUS_GOLDEN=write renews it. -->\n"

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

    @Test func `no group of options has a group within, for which the parser takes long`() {
        for entry in CommandReference.entries {
            for group in Self.groups(of: entry.command) {
                #expect(Self.groups(of: group).isEmpty, "\(group) of storebus \(entry.path.joined(separator: " "))")
            }
        }
    }

    private static func groups(of type: any ParsableArguments.Type) -> [any ParsableArguments.Type] {
        Mirror(reflecting: type.init()).children.compactMap { ($0.value as? any DeclaredGroup)?.members }
    }

    @Test func `docs cli md has every command's help`() throws {
        let difference = try GoldenFile.difference(
            "docs/cli.md", "\n" + CommandReference.text, below: Self.mark)
        #expect(difference == nil)
    }

    @Test func `help of the whole fits a screen's width`() async {
        let (_, said) = await Recorder.run(["--help"])
        for line in said.result.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        for entry in CommandReference.entries where entry.path.count == 1 {
            #expect(said.result.contains("  \(entry.path[0])"), "\(entry.path[0])")
        }
    }
}

/// A group of options as a command declares it.
private protocol DeclaredGroup {
    /// The type with the group's options.
    var members: any ParsableArguments.Type { get }
}

extension OptionGroup: DeclaredGroup {
    fileprivate var members: any ParsableArguments.Type { Value.self }
}
