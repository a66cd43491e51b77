import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What a shell offers.
@Suite struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell's completions contain every command`(shell: String) async {
        let (status, said) = await Recorder.run(["completions", shell])
        #expect(status == .success)
        let words = Set(said.result.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }.map(String.init))
        for path in CommandTree.root.paths {
            // A function or a condition for each command with others below it, a word for each that has none.
            #expect(words.contains(path[path.count - 1]), "\(path.joined(separator: " "))")
        }
        #expect(CommandTree.root.paths.count > 45)
    }

    @Test(arguments: [
        ("bash", ".local/share/bash-completion/completions/storebus"), ("zsh", ".zfunc/_storebus"),
        ("fish", ".config/fish/completions/storebus.fish"),
    ])
    func `they are installed where the shell looks`(shell: String, place: String) async throws {
        let home = try TemporaryDirectory()
        let (status, said) = await Recorder.run(
            ["completions", shell, "--install", "-o", "names"], variables: ["HOME": home.path])
        #expect(status == .success)
        #expect(said.result == "\(home.path)/\(place)\n")
        let script = await Recorder.run(["completions", shell]).said.result
        #expect(try FileAccess.read("\(home.path)/\(place)", byteCountMax: 10_000_000) == Array(script.utf8))
    }

    @Test func `without a home they cannot be installed`() async {
        let (status, said) = await Recorder.run(["completions", "bash", "--install"])
        #expect(status == .usage)
        #expect(said.narration.contains("HOME"))
    }

    @Test(arguments: [
        (["---completion", "buy", "--", "positional@0"], "pro.monthly\nhidden-beaches\n"),
        (["---completion", "account", "show", "--", "positional@0"], "alice\n"),
        (["---completion", "tx", "show", "--", "positional@0"], "2000000000000001\n"),
        (["---completion", "device", "show", "--", "positional@0"], "alice-1\n"),
        (["---completion", "intent", "continue", "--", "positional@0"], "i_01j2k9f\n"),
        (["---completion", "product", "list", "--", "--storefront"], "USA\nFRA\n"),
        (["---completion", "product", "list", "--", "--store"], "t-7\n"),
        (["---completion", "store", "delete", "--", "positional@0"], "t-7\n"),
        (["---completion", "app", "delete", "--", "positional@0"], "com.example.app\n"),
    ])
    func `products, accounts, transactions, storefronts and isolated stores are those of the store`(
        arguments: [String], offered: String
    ) async {
        // Which word is wanted, where the cursor is in it, and the line so far.
        let words = ["4", "0", "storebus", "buy", "--url", "http://store", ""]
        let (status, said) = await Recorder.run(
            arguments + words, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: FakeStore())
        #expect(status == .success)
        // The parser remembers for the whole process which shell was asked for last, and offers zsh a space besides.
        #expect(said.result.split(separator: "\n").filter { $0 != " " } == offered.split(separator: "\n"))
    }

    @Test func `a command in an isolated store is offered that store's accounts, and its name is completed`() async {
        let store = FakeStore()
        func offered(_ words: String...) async -> String {
            let variables = ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_STORE": "t-9"]
            return await Recorder.run(
                ["---completion", "tx", "list", "--", words[0], "4", "0", "storebus", "tx", "list"] + words.dropFirst(),
                variables: variables, transport: store
            ).said.result
        }
        #expect(await offered("--as", "--store", "t-7", "--as", "").contains("alice"))
        #expect(store.requests.last?.path.hasPrefix("/s/t-7/admin/v1/testers") == true)
        #expect(await offered("--store", "--store", "t-").contains("t-7"))
        #expect(store.requests.last?.path.hasPrefix("/admin/v1/stores") == true)
    }

    @Test func `a store that is away offers nothing and says nothing`() async {
        let (_, said) = await Recorder.run(
            [
                "---completion", "buy", "--", "positional@0", "4", "0", "storebus", "buy", "--url",
                "http://127.0.0.1:9", "",
            ])
        let offersNothing = said.result.allSatisfy { $0.isWhitespace }
        #expect(offersNothing)
        #expect(said.narration == "")
    }
}
