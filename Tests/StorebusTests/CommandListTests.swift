import Testing

@testable import Storebus

/// Goal: no command is left out of ``EveryCommandTests`` by mistake.
@Suite struct CommandListTests {
    /// Commands that are in neither of its lists, by the reason.
    private static let exceptions = [
        "It starts processes.": ["up", "store run", "chaos run", "chaos matrix"],
        "It reads files of a store or a run.": ["logs", "chaos check", "scenario run"],
        "It follows a stream.": ["watch", "tx watch", "device resume", "device open-app", "listen", "trace export"],
        "It writes a file.": ["download fetch", "promo image get", "scenario record"],
        "It prints a shell's script.": ["completions"],
        "It serves its standard input.": ["mcp"],
        "It connects to a bus.": [
            "bus ping", "bus req", "bus sub", "bus pub", "bus trace", "bus connections", "bus top", "bus drain",
            "bus bench", "chaos fault list", "chaos fault add", "chaos fault clear",
        ],
    ]

    @Test func `every command is in a list of EveryCommandTests, or is an exception`() {
        let listed = EveryCommandTests.commands + EveryCommandTests.others
        let exceptions = Set(Self.exceptions.values.joined())
        let paths = CommandReference.entries.filter { !$0.isGroup }.map(\.path)
        for path in paths {
            let name = path.joined(separator: " ")
            if exceptions.contains(name) {
                #expect(!listed.contains { $0.starts(with: path) }, "'\(name)' is in a list, and an exception")
            } else {
                #expect(listed.contains { $0.starts(with: path) }, "'\(name)' is in no list of EveryCommandTests")
            }
        }
        let unknown = exceptions.subtracting(paths.map { $0.joined(separator: " ") })
        #expect(unknown.isEmpty, "exceptions that are no commands")
    }
}
