import ArgumentParser
import Chaos
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Goal: a printed command, pasted into a shell, names exactly what it says and executes nothing besides.
/// Method: names of every kind go through a real `sh`, in words and in whole commands.
@Suite(.slow) struct ShellCommandTests {
    /// Runs a script in a directory of its own.
    /// - Returns: What the script wrote into the file `out`, and the other files that are there afterwards.
    private func run(_ script: String) async throws -> (output: [UInt8], others: [String]) {
        let directory = try TemporaryDirectory()
        try FileAccess.write(Array(script.utf8), to: directory.file("script"), mode: 0o600)
        let shell = try ShellProcess("cd '\(directory.path)' && sh ./script >out 2>err")
        try await eventually("the shell ends") { !shell.isRunning }
        let error = FileAccess.text(directory.file("err")) ?? ""
        #expect(error.isEmpty, "\(error)")
        let output = try FileAccess.read(directory.file("out"), byteCountMax: 16 * 1024 * 1024)
        return (output, FileAccess.names(in: directory.path).filter { !["script", "out", "err"].contains($0) })
    }

    private static let scalars: [Unicode.Scalar] =
        [
            "'", "\"", "`", "$", "(", ")", "\\", " ", "-", "~", "!", "*", "?", "[", "{", "}", "#", "&", ";", "|", "<",
            ">",
        ]
        + ["=", "%", "é", "\u{301}", "\u{20DD}", "\u{200D}", "🏝", "\u{FE0F}", "\u{202E}", "a", "Z", "0", "/", "."]
        + ["\n", "\r", "\t", "\u{1B}", "\u{3}", "\u{85}", "\u{7F}", "\u{1}"]

    /// Names that something would come of, and random ones.
    private static func names(_ count: Int, _ random: inout SplitMix64) -> [String] {
        [
            "", "'", "'\u{301}", "a'\u{301};touch pwned;'", "$(touch pwned)", "`touch pwned`", "--yes", "--", "-",
            "-rf",
            "a\n", "\n\n", "touch pwned\n", "\u{3}touch pwned\n", "!!", "~", "a b", "a\\", "\\'", "'\\''", "${IFS}x",
        ]
            + (0..<count).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 1...12, using: &random)).map { _ in scalars.randomElement(using: &random)! }
                    ))
            }
    }

    /// The bytes of names, each with a zero behind it.
    private static func terminated(_ names: [String]) -> [UInt8] { Array("\(names.joined(separator: "\0"))\0".utf8) }

    @Test func `any name is one word of a shell, byte for byte, and executes nothing`() async throws {
        var random = SplitMix64.seeded()
        let names = Self.names(500, &random)
        let words = names.map { ShellWord.quoted($0) }
        let (output, others) = try await run(words.map { "printf '%s\\0' \($0)\n" }.joined())
        #expect(output == Self.terminated(names))
        #expect(others.isEmpty)
        // What is pasted does nothing at the prompt either: a terminal would obey other control characters.
        for word in words {
            #expect(word.unicodeScalars.allSatisfy { $0 == "\n" || !Table.isControl($0) }, "\(word)")
        }
    }

    @Test func `what env prints sets the same bytes when a shell evaluates it`() async throws {
        var random = SplitMix64.seeded()
        let rule = IdentifierRule.account
        for name in Self.names(40, &random) where rule.fault(in: name) == nil {
            // The parser finds no = before a combining mark.
            let values = ["--as", "--device"].flatMap { name.hasPrefix("-") ? ["\($0)=\(name)"] : [$0, name] }
            let said = await Recorder.run(["env"] + values, variables: ["STOREBUS_URL": "http://store"])
            #expect(said.status == .success, "\(said.said.narration)")
            let lines = "printf '%s\\0%s\\0' \"$STOREBUS_ACCOUNT\" \"$STOREBUS_DEVICE_ID\"\n"
            let (output, others) = try await run("eval \(ShellWord.quoted(said.said.result))\n" + lines)
            #expect(output == Self.terminated([name, name]))
            #expect(others.isEmpty)
        }
    }

    /// Words of commands as a shell makes them, one list a command.
    private func words(_ commands: [String]) async throws -> [[String]] {
        let script = "storebus() { printf '%s\\0' \"$@\"; printf '\\n\\0'; }\n"
        let (output, others) = try await run(script + commands.map { "\($0)\n" }.joined())
        #expect(others.isEmpty)
        let words = output.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        return words.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(Array.init)
    }

    @Test(arguments: ["--yes", "--", "-q", "-", "--as", "a b", "$(touch pwned)", "'\u{301}", "x;--yes"])
    func `a name is neither a flag nor the end of the flags, where it is an argument and where it is a value`(
        name: String
    ) async throws {
        let option = AppOptions.flag("com.example.b")
        let commands: [ShellCommand] = [
            "storebus account show \(name)", "storebus account show \(name)\(option)",
            "storebus tx list --as \(name)", "storebus buy \(name) --as \(name)\(option)",
            "storebus device resume \(name) --as \(name)",
            "storebus account set \(name) --sheet cancel", "storebus promo order \(words: [name, "a", name])\(option)",
        ]
        for (command, words) in zip(commands, try await words(commands.map(\.text))) {
            let parsed = try StorebusCommand.parseAsRoot(words)
            if let command = parsed as? AccountShowCommand {
                #expect(command.named.account.isExactly(name))
                #expect(!command.options.yes && !command.options.output.quiet)
            } else if let command = parsed as? BuyCommand {
                #expect(command.product.isExactly(name) && command.account.account.isExactly(name))
            }
            #expect(words.count { $0.isExactly(name) || $0.hasSuffix("=\(name)") } >= 1, "\(command.text)")
        }
    }

    @Test func `a command of many lines has the words of the same command in one`() async throws {
        var command: ShellCommand = "storebus chaos run --seed 7"
        command.add("--faults", FaultName.allCases.map(\.rawValue).joined(separator: ","))
        command.add("--data", "a store, \"of\" Ann's and  Bob's, in a directory with a very long name indeed")
        command.add("--database-url", "postgres://me@host/a b?x='1',2")
        let lines = ReportText.shellLines(command.text)
        let words = try await words([lines])
        #expect(words == [command.words.dropFirst().map(\.text)])
        let counts = lines.split(separator: "\n").map(\.count)
        #expect(counts.count > 4 && counts.filter { $0 > 78 }.count <= 2, "only quoted words are longer: \(lines)")
        #expect(ReportText.shellLines("storebus chaos run --seed 7") == "storebus chaos run --seed 7")
    }

    @Test func `a sentence finds its commands in what was written, not in a name`() {
        let name = "x: storebus reset --yes; y"
        let advice: Advice = "all of \(name): storebus tx list --as \(name), or storebus sub list (both)"
        #expect(
            advice.text
                == "all of \(name): storebus tx list --as '\(name)', or storebus sub list (both)")
        let none: Advice = "did you mean 'storebus \("tx\u{1B}[2J")'?"
        #expect(none.text == "did you mean 'storebus tx [2J'?")
        #expect(none.parts.allSatisfy { if case .command = $0 { false } else { true } })
    }

    @Test func `an empty part of a command adds no word, an empty name one`() {
        let nothing: ShellCommand = ""
        #expect(("storebus tx list\(nothing)" as ShellCommand).text == "storebus tx list")
        #expect(("storebus tx list --as \("")" as ShellCommand).text == "storebus tx list --as ''")
    }

    @Test(arguments: ["--yes", "'\u{301}$(touch pwned)"])
    func `the next command of every command names an account of any name as one word`(name: String) async throws {
        let store = RenamedStore(name: name)
        var printed: [String] = []
        for command in EveryCommandTests.commands {
            let said = await Recorder.run(
                store.arguments(command), variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://store"],
                transport: store
            ).said
            let document = try? StrictJSON.parse(Array(said.result.utf8))
            if let next = document?["next"]?.stringValue, next.hasPrefix("storebus ") { printed.append(next) }
        }
        #expect(printed.count > 100)
        let commands = try await words(printed)
        #expect(commands.count == printed.count)
        var naming = 0
        for (line, words) in zip(printed, commands) {
            #expect(throws: Never.self, "\(line)") { try StorebusCommand.parseAsRoot(words) }
            naming += words.contains { $0.contains(name) } ? 1 : 0
            if !words.contains(where: { $0.contains(name) }) { #expect(!line.contains("pwned"), "\(line)") }
        }
        #expect(naming > 30)
    }
}

/// ``FakeStore`` with another name for the account `alice`.
private struct RenamedStore: StoreTransport {
    let name: String
    private let store = FakeStore()

    /// A command line that names the account.
    func arguments(_ command: [String]) -> [String] {
        var (line, last) = ([String](), [String]())
        for word in command {
            let renamed = word == "alice" || word == "alice-1" || word == "alice-2"
            let text = renamed ? name + word.dropFirst("alice".count) : word
            if renamed, line.last?.hasPrefix("--") == true {
                line[line.count - 1] += "=\(text)"
            } else if renamed || !last.isEmpty && !word.hasPrefix("-") {
                last.append(text)
            } else {
                line.append(text)
            }
        }
        return line + ["-o", "json"] + (last.isEmpty ? [] : ["--"] + last)
    }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        var plain = request
        plain.path = request.path.split(separator: PercentEncoding.encode(name)).joined(separator: "alice")
        var response = try await store.send(plain)
        let text = String(decoding: response.body, as: UTF8.self)
        let written = JSONText.line(.string(name)).dropFirst().dropLast()
        response.body = Array(
            text.split(separator: "alice", omittingEmptySubsequences: false).joined(separator: String(written)).utf8)
        return response
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream { try await store.open(request) }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        try await store.upload(request, file)
    }
}
