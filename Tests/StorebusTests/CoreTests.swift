import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// The flags, settings and questions that all commands share.
@Suite struct CoreTests {
    @Test(arguments: [
        (["-o", "json", "tx", "list", "--as", "alice"], ["tx", "list", "-o", "json", "--as", "alice"]),
        (["--url=http://a", "-q", "status"], ["status", "--url=http://a", "-q"]),
        (["--yes", "--data", "d", "tx", "delete", "a"], ["tx", "delete", "--yes", "--data", "d", "a"]),
        (["tx", "list"], ["tx", "list"]), (["-o", "json"], ["-o", "json"]), (["-o"], ["-o"]), ([], []),
        (["-o", "json", "byu"], ["-o", "json", "byu"]), (["--help"], ["--help"]),
    ])
    func `flags before the command are moved behind it`(arguments: [String], moved: [String]) {
        #expect(GlobalFlags.moved(arguments) == moved)
    }

    @Test(arguments: [
        (["x", "-o", "json"], OutputFormat.json), (["-ojsonl"], .jsonl), (["--output=names"], .names),
        (["env", "--", "ls", "-o", "json"], .human), (["-o"], .human), (["-o", "xml"], .human),
    ])
    func `errors are printed in the format asked for, even on a wrong command line`(
        arguments: [String], format: OutputFormat
    ) {
        #expect(GlobalFlags.format(arguments) == format)
    }

    @Test(arguments: [
        ("5s", Duration.seconds(5)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("30", .seconds(30)),
        ("1h", .seconds(3600)), ("0", .zero), ("86400", .seconds(86_400)),
    ])
    func `a time has a unit, and seconds need none`(text: String, duration: Duration) throws {
        #expect(TimeLimit(argument: text)?.duration == duration)
    }

    @Test(arguments: ["", "s", "-1", "5 s", "5d", "1.5s", "86401", "99999999999999999999"])
    func `what is no time is refused`(text: String) {
        #expect(TimeLimit(argument: text) == nil)
    }

    @Test func `a time is written as the gateway reads it`() {
        #expect(TimeLimit(.milliseconds(1500)).description == "1500ms")
        #expect(TimeLimit(.seconds(60)).description == "60s")
    }

    @Test(arguments: [
        ("STOREBUS_ADMINKEY", true), ("STOREBUS_ULR", true), ("STOREBUS_URL", false), ("STOREBUS_SCRATCH", false),
        ("STOREBUS_LOG_FORMAT", false), ("HOME", false),
    ])
    func `a variable that looks misspelt is reported`(name: String, isTold: Bool) {
        #expect(EffectiveSettings.misspeltVariables([name: "1"]).isEmpty == !isTold)
    }

    @Test func `a misspelt variable is a warning on any command`() async {
        let store = FakeStore()
        let (status, said) = await store.run("tx", "list", variables: ["STOREBUS_ADMINKEY": "x"])
        #expect(status == .success)
        #expect(said.narration.contains("warning: STOREBUS_ADMINKEY means nothing here; did you mean"))
    }

    @Test func `each setting says where it came from`() async throws {
        let project = try TemporaryDirectory()
        let (_, said) = await Recorder.run(
            ["config", "show", "--bundle-id", "a.b", "-o", "json"],
            variables: ["STOREBUS_URL": "http://there", "STOREBUS_ADMIN_KEY": "hush"], directory: project.path)
        let rows = try #require(StrictJSON.parse(Array(said.result.utf8))["data"]?.arrayValue)
        let origins = rows.map { "\($0["setting"]?.stringValue ?? "")=\($0["origin"]?.stringValue ?? "")" }
        #expect(origins.contains("url=STOREBUS_URL"))
        #expect(origins.contains("adminKey=STOREBUS_ADMIN_KEY"))
        #expect(origins.contains("bundleId=--bundle-id"))
        #expect(!said.result.contains("hush"))
    }

    @Test func `a key may be in a file, and the app in a variable`() async throws {
        let project = try TemporaryDirectory()
        try FileAccess.write(Array("from a file\n".utf8), to: project.file("key"), mode: 0o600)
        let environment = CommandEnvironment(
            console: Recorder().console,
            variables: ["STOREBUS_ADMIN_KEY_FILE": project.file("key"), "STOREBUS_BUNDLE_ID": "a.b"],
            currentDirectory: project.path)
        let settings = try EffectiveSettings.find(url: nil, data: nil, environment)
        #expect(settings.adminKey?.text == "from a file")
        #expect(settings.bundleId == .init("a.b", "STOREBUS_BUNDLE_ID"))
    }

    @Test func `no question is asked without a terminal`() async {
        let store = FakeStore()
        let (status, said) = await store.run("reset", answer: "y")
        #expect(status == .usage)
        #expect(said.narration.contains("add --yes"))
        #expect(store.requests(.post, "/admin/v1/apps/com.example.app/reset").isEmpty)
    }

    @Test(arguments: [("y", CLIExit.success, 1), ("YES", .success, 1), ("n", .refused, 0), ("", .refused, 0)])
    func `on a terminal a question is asked before something is deleted`(
        answer: String, status: CLIExit, deletions: Int
    ) async {
        let store = FakeStore()
        let terminal = Terminal(isInput: true, isOutput: true, isError: true)
        let (ended, said) = await store.run("reset", terminal: terminal, answer: answer)
        #expect(ended == status)
        #expect(said.narration.contains("delete 1 transaction of com.example.app? [y/N]"))
        #expect(store.requests(.post, "/admin/v1/apps/com.example.app/reset").count == deletions)
    }

    @Test func `verbose tells of each request, and of no secret`() async {
        let (_, said) = await FakeStore().run("tx", "list", "-v")
        #expect(said.narration.contains("GET /admin/v1/transactions"))
        #expect(said.narration.contains("  200  "))
        #expect(!said.narration.contains("admin\n"))
    }

    @Test func `progress is shown on a terminal only, below everything else`() async throws {
        let recorder = Recorder()
        let console = recorder.console
        console.showProgress("| waiting")
        console.narrate("note: something\n")
        console.showProgress(nil)
        #expect(recorder.narration == "| waiting\r\u{1B}[Knote: something\n| waiting\r\u{1B}[K")
        for terminal in [Terminal.none, Terminal(isInput: true, isOutput: true, isError: true, isDumb: true)] {
            #expect(!Progress(CommandEnvironment(console: console, terminal: terminal), isQuiet: false).isShown)
        }
        let there = Terminal(isInput: false, isOutput: false, isError: true)
        #expect(Progress(CommandEnvironment(console: console, terminal: there), isQuiet: false).isShown)
        #expect(!Progress(CommandEnvironment(console: console, terminal: there), isQuiet: true).isShown)
    }

    @Test func `an error is red on a terminal, in the same words`() {
        let error = CLIError(.usage, "wrong", hints: ["right"])
        #expect(error.text(Style(isOn: true)).hasPrefix("\u{1B}[31merror:\u{1B}[0m wrong"))
        #expect(Coverage.withoutColours(error.text(Style(isOn: true))) == error.text)
    }
}
