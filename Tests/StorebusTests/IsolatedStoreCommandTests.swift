import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `--store`, `STOREBUS_STORE`, and what they choose.
@Suite struct IsolatedStoreCommandTests {
    private static let installation = "http://127.0.0.1:7430"
    private static let gone = ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_STORE": "t-9"]

    @Test(
        arguments: [
            ("http://h:1", "http://h:1", nil, "http://h:1"), ("http://h:1/", "http://h:1", nil, "http://h:1"),
            ("http://h:1/s/t-7", "http://h:1", "t-7", "http://h:1"),
            ("http://h:1/s/t-7/", "http://h:1", "t-7", "http://h:1"),
            ("https://h/base/s/t-12", "https://h/base", "t-12", "https://h"),
            ("http://h/s/shop", "http://h/s/shop", nil, "http://h"),
            ("http://h/xs/t-7", "http://h/xs/t-7", nil, "http://h"),
            ("http://h:1@evil/s/t-7", "http://h:1@evil", "t-7", "http://h:1@evil"),
            ("http://[::1]:9", "http://[::1]:9", nil, "http://[::1]:9"),
        ] as [(String, String, String?, String)])
    func `an address is an installation's, and perhaps an isolated store's on it`(
        url: String, installation: String, store: String?, origin: String
    ) {
        let address = StoreLocation(url)
        #expect(address.installation == installation)
        #expect(address.store == store)
        #expect(address.origin == origin)
    }

    private func settings(
        url: String? = nil, store: String? = nil, _ variables: [String: String], in directory: String = "/nowhere"
    ) throws -> EffectiveSettings {
        try EffectiveSettings.find(
            url: url, data: nil, store: store,
            CommandEnvironment(console: Recorder().console, variables: variables, currentDirectory: directory))
    }

    @Test(
        arguments: [
            (nil, nil, [:], "http://127.0.0.1:7430", nil),
            (nil, "t-1", [:], "http://127.0.0.1:7430/s/t-1", "--store"),
            (nil, nil, ["STOREBUS_STORE": "t-1"], "http://127.0.0.1:7430/s/t-1", "STOREBUS_STORE"),
            (nil, "t-2", ["STOREBUS_STORE": "t-1"], "http://127.0.0.1:7430/s/t-2", "--store"),
            ("http://h/s/t-3", nil, [:], "http://h/s/t-3", "--url"),
            ("http://h/s/t-3", nil, ["STOREBUS_STORE": "t-1"], "http://h/s/t-3", "--url"),
            ("http://h", nil, ["STOREBUS_STORE": "t-1"], "http://h/s/t-1", "STOREBUS_STORE"),
            (nil, nil, ["STOREBUS_URL": "http://h/s/t-3"], "http://h/s/t-3", "STOREBUS_URL"),
            (nil, "t-2", ["STOREBUS_URL": "http://h/s/t-3"], "http://h/s/t-2", "--store"),
            (
                nil, nil, ["STOREBUS_URL": "http://h/s/t-3", "STOREBUS_STORE": "t-3"], "http://h/s/t-3",
                "STOREBUS_URL"
            ),
        ] as [(String?, String?, [String: String], String, String?)])
    func `a flag precedes a variable, and the name says where it came from`(
        url: String?, store: String?, variables: [String: String], address: String, origin: String?
    ) throws {
        let found = try settings(url: url, store: store, variables)
        #expect(found.url.text == address)
        #expect(found.store?.origin == origin)
    }

    @Test(
        arguments: [
            (["--store", "t-1", "--url", "http://h/s/t-2"], [:], "--store t-1 --url http://h"),
            (["--store", "shop"], [:], "'shop' (--store) is not a name of an isolated store"),
            (["--store", "7"], [:], "those that exist: storebus store list\u{20}"),
            ([], ["STOREBUS_STORE": "T-1"], "'T-1' (STOREBUS_STORE) is not a name"),
            (
                [], ["STOREBUS_STORE": "t-1", "STOREBUS_URL": "http://h/s/t-2"],
                "STOREBUS_STORE names the isolated store t-1, and STOREBUS_URL names t-2"
            ),
        ] as [([String], [String: String], String)])
    func `two names, and a name that no store has, are refused`(
        flags: [String], variables: [String: String], message: String
    ) async {
        let store = FakeStore()
        for command in [["tx", "list"], ["config", "show"], ["doctor"]] {
            let (status, said) = await Recorder.run(command + flags, variables: variables, transport: store)
            #expect(status == .usage)
            #expect(said.narration.contains(message), "\(said.narration)")
        }
        #expect(store.requests.isEmpty)
    }

    @Test(arguments: [["store", "list"], ["store", "delete", "t-7", "--yes"], ["down"], ["logs"]])
    func `a command about the installation takes no store`(command: [String]) async {
        let (status, said) = await Recorder.run(command + ["--store", "t-7"], transport: FakeStore())
        #expect(status == .usage)
        #expect(said.narration.contains("leave --store out"))
    }

    @Test(
        arguments: [
            ["STOREBUS_STORE": "T-1"], ["STOREBUS_STORE": "t-1", "STOREBUS_URL": "http://h/s/t-2"],
        ] as [[String: String]])
    func `a command about the installation does not read the variable, which it helps to correct`(
        variables: [String: String]
    ) async {
        let variables = variables.merging(["STOREBUS_ADMIN_KEY": "admin"]) { $1 }
        for command in [
            ["store", "list"], ["store", "ls"], ["store", "create"], ["store", "delete", "t-7", "--yes"],
            ["store", "run", "--", "true"],
        ] {
            let store = FakeStore()
            let (status, said) = await Recorder.run(command, variables: variables, transport: store)
            #expect(status == .success, "\(command) \(said.narration)")
            #expect(store.requests.allSatisfy { $0.path.hasPrefix("/admin/v1/") })
        }
    }

    @Test func `the names of a list are those of open stores, as arguments of other commands`() async {
        let store = FakeStore()
        var removed = FakeStore.isolatedStore
        (removed.store, removed.state) = ("t-6", .removing)
        store.answer(
            "GET /admin/v1/stores", JSONText.value(IsolatedStoresResponse(stores: [removed, FakeStore.isolatedStore])))
        #expect(await store.run("store", "list", "-o", "names").said.result == "t-7\n")
        let table = await store.run("store", "list").said.result
        #expect(table.contains("t-6") && table.contains("removing") && table.contains("t-7"))
    }

    @Test func `a snapshot is listed and offered by its name, and takes no commands`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/stores",
            JSONText.value(IsolatedStoresResponse(stores: [FakeStore.isolatedStore, FakeStore.snapshot])))
        #expect(await store.run("store", "list", "-o", "names").said.result == "t-7\n")
        let table = await store.run("store", "list").said.result
        #expect(table.contains("subscribed") && table.contains("snapshot") && !table.contains("t-8"))
        let (status, said) = await store.run("store", "snapshot", "t-7", "subscribed", "--ttl", "20d")
        #expect(status == .success)
        #expect(said.narration.contains("storebus store fork subscribed"))
        #expect(store.requests.last?.body == Array(#"{"name":"subscribed","ttl":"20d"}"#.utf8))
    }

    @Test(arguments: [["store", "fork", "t-9"], ["store", "restore", "t-9"], ["store", "snapshot", "t-9", "n"]])
    func `a fork or snapshot of a store that is gone says where to look`(command: [String]) async {
        let store = FakeStore()
        let verb = command[1] == "snapshot" ? "snapshot" : "fork"
        store.answer("POST /admin/v1/stores/t-9/\(verb)", status: 404, StubTransport.problem(404, .notFound))
        let (status, said) = await Recorder.run(
            command, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store)
        #expect(status == .refused)
        #expect(said.narration.contains("there is no isolated store 't-9'"))
        #expect(said.narration.contains("those that exist: storebus store list"))
    }

    @Test func `the key of a directory is that of each isolated store of its installation`() throws {
        let (place, directory) = try Fixtures.project(Self.installation)
        for (url, variables) in [
            (nil, ["STOREBUS_STORE": "t-1"]), ("\(Self.installation)/s/t-1", [:]),
            (nil, ["STOREBUS_URL": "\(Self.installation)/s/t-1"]), ("\(Self.installation)/", [:]),
        ] as [(String?, [String: String])] {
            let found = try settings(url: url, variables, in: place.path)
            #expect(found.adminKey == .init("secret", directory.adminKey))
            #expect(found.directory == directory)
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:7431/s/t-1", "https://127.0.0.1:7430/s/t-1", "http://127.0.0.1:7430@there/s/t-1",
        "http://localhost:7430/s/t-1",
    ])
    func `the key of a directory is not sent to another origin, and the refusal says so`(url: String) async throws {
        let (place, directory) = try Fixtures.project(Self.installation)
        #expect(try settings(url: url, [:], in: place.path).adminKey == nil)
        let store = FakeStore()
        store.answer("GET /admin/v1/stores", status: 401, StubTransport.problem(401, .unauthenticated))
        let (status, said) = await Recorder.run(
            ["store", "list", "--url", url], directory: place.path, transport: store)
        #expect(status == .notAllowed)
        let words = "no admin key: that of \(directory.path) belongs to \(Self.installation)"
        #expect(said.narration.contains(words), "\(said.narration)")
        #expect(store.requests.allSatisfy { $0.token == nil })
    }

    @Test func `requests go to the store, and those about the installation do not`() async {
        let store = FakeStore()
        #expect(await store.run("tx", "list", "--store", "t-7").status == .success)
        #expect(store.requests.allSatisfy { $0.path.hasPrefix("/s/t-7/admin/v1/") })
        #expect(store.requests.allSatisfy { $0.token == "admin" })
        for command in [["store", "list"], ["store", "create"], ["store", "delete", "t-7", "--yes"]] {
            let store = FakeStore()
            let (status, said) = await Recorder.run(command, variables: Self.gone, transport: store)
            #expect(status == .success, "\(said.narration)")
            #expect(store.requests.allSatisfy { $0.path.hasPrefix("/admin/v1/") })
        }
    }

    @Test(arguments: [
        ["tx", "list"], ["product", "list"], ["status"], ["open"], ["buy", "p", "--as", "a"],
    ])
    func `a store that does not exist is named, with those that do`(command: [String]) async {
        let (status, said) = await Recorder.run(command, variables: Self.gone, transport: FakeStore())
        #expect(status == .refused)
        #expect(said.narration.contains("there is no isolated store t-9 at \(Self.installation)"), "\(said.narration)")
        #expect(said.narration.contains("open are t-7, all: storebus store list"))
    }

    @Test func `without any store the error says how to make one`() async {
        let store = FakeStore()
        store.answer("GET /admin/v1/stores", ["stores": []])
        let said = await Recorder.run(["tx", "list"], variables: Self.gone, transport: store).said
        #expect(said.narration.contains("make one: storebus store create"))
    }

    @Test func `what a store does not find is still what is missing`() async {
        let (status, said) = await FakeStore().run("account", "show", "nobody", "--store", "t-7")
        #expect(status == .refused)
        #expect(!said.narration.contains("isolated store"))
    }

    @Test func `status and doctor say which store is used, and why`() async throws {
        let variables = ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_STORE": "t-7"]
        func said(_ arguments: String...) async -> String {
            await Recorder.run(arguments, variables: variables, transport: FakeStore()).said.result
        }
        let until = Format.time(FakeStore.isolatedStore.expiresAt)
        let line = "store t-7 from STOREBUS_STORE  com.example.app until \(until)\n"
        #expect(await said("status").contains(line))
        #expect(await said("status").hasPrefix("\(Self.installation)/s/t-7  ready"))
        #expect(await said("doctor").contains("t-7 (STOREBUS_STORE), until \(until)"))
        #expect(await said("config", "show").contains("store          t-7"))
        let absent = await Recorder.run(["doctor"], variables: Self.gone, transport: FakeStore())
        #expect(absent.status == .refused)
        #expect(absent.said.result.contains("there is no isolated store t-9"))
        #expect(absent.said.result.contains("catalog"), "the services are checked all the same")
    }

    @Test func `open shows the console at the store`() async {
        let store = FakeStore()
        let said = await store.run("open", "--store", "t-7").said
        #expect(said.result == "\(Self.installation)/#ticket=AgAAAZtest&/?app=com.example.app&store=t-7\n")
        #expect(store.requests.last?.path == "/console/tickets")
        let keyless = await Recorder.run(["open", "--store", "t-7"], transport: FakeStore()).said
        #expect(keyless.result == "\(Self.installation)/#/?store=t-7\n")
    }

    @Test func `printed commands stay in the store, and those about the installation leave it out`() {
        let commands = PrintedCommands(["tx", "list", "--store", "t-7", "--data", "d"], [:])
        #expect(commands.complete("storebus tx show 1").text == "storebus tx show 1 --data d --store t-7")
        #expect(commands.complete("storebus store list").text == "storebus store list --data d")
        #expect(commands.complete("storebus open --store t-8").text == "storebus open --store t-8 --data d")
        let addressed = PrintedCommands(["tx", "list", "--url", "http://h/s/t-7"], [:])
        #expect(addressed.complete("storebus open --store t-8").text == "storebus open --store t-8 --url http://h")
    }

    @Test func `each store has its own sessions, which go with it`() async throws {
        let (place, directory) = try Fixtures.project(Self.installation)
        for flags in [[], ["--store", "t-7"]] {
            let bought = await Recorder.run(
                ["buy", "pro.monthly", "--as", "alice"] + flags, directory: place.path, transport: FakeStore())
            #expect(bought.status == .success, "\(bought.said.narration)")
        }
        let file = "com.example.app@alice@alice-1.json"
        let (ours, theirs) = (directory.sessions(of: nil), directory.sessions(of: "t-7"))
        #expect(FileAccess.exists("\(ours)/\(file)") && FileAccess.exists("\(theirs)/\(file)"))
        let removed = await Recorder.run(
            ["store", "delete", "t-7", "--yes"], directory: place.path, transport: FakeStore())
        #expect(removed.status == .success)
        #expect(FileAccess.exists("\(ours)/\(file)") && !FileAccess.exists(theirs))
    }

    @Test func `several stores are removed at once`() async {
        let store = FakeStore()
        store.answer("DELETE /admin/v1/stores/t-8", .object([:]))
        let said = await store.run("store", "delete", "t-7", "t-8", "--yes").said
        #expect(said.result == "deleted  t-7, t-8\n")
        #expect(store.requests(.delete, "/admin/v1/stores/t-8").count == 1)
    }

    // MARK: create

    @Test func `create says how the store is used`() async {
        let narration = await FakeStore().run("store", "create").said.narration
        #expect(narration.contains("next: storebus product list --store t-7\n"))
        #expect(narration.contains("storebus env --store t-7\n") && narration.contains("storebus open --store t-7\n"))
        #expect(!narration.contains("delete"))
    }

    @Test func `the variables of a new store are all that is printed, as a shell reads them`() async {
        let (status, said) = await Recorder.run(
            ["store", "create", "--env", "--as", "bob"], variables: Self.gone, transport: FakeStore())
        #expect(status == .success)
        #expect(said.narration == "")
        #expect(
            said.result == """
                export STOREBUS_URL=\(Self.installation)/s/t-7
                export STOREBUS_STORE=t-7
                export STOREBUS_BUNDLE_ID=com.example.app
                export STOREBUS_ACCOUNT=bob
                export STOREBUS_DEVICE_ID=bob-1
                export STOREBUS_ADMIN_KEY=admin
                export STOREBUS_ISSUER_ID=i7
                export STOREBUS_KEY_ID=K7
                export STOREBUS_ROOT_CERTIFICATE=MIIB
                export STOREBUS_PRIVATE_KEY=s3cret

                """)
    }

    @Test func `env prints the variables of the store that is named`() async {
        let said = await FakeStore().run("env", "--store", "t-7").said
        #expect(said.result.hasPrefix("export STOREBUS_URL=\(Self.installation)/s/t-7\nexport STOREBUS_STORE=t-7\n"))
    }

    @Test func `a new store has the catalogue that is named`() async throws {
        let place = try TemporaryDirectory()
        let file = place.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        let store = FakeStore()
        #expect(await store.run("store", "create", "--catalogue", file, "--ttl", "10m").status == .success)
        let sent = store.requests(.post, "/admin/v1/stores/file")
        #expect(sent.map(\.path) == ["/admin/v1/stores/file?bundleId=com.example.app&fileName=App.storekit&ttl=10m"])
        withExtendedLifetime(place) {}
    }
}

/// `storebus store run`
@Suite struct StoreRunTests {
    private let store = FakeStore()

    private func run(
        _ flags: [String] = [], _ program: String..., variables: [String: String] = [:], isInForeground: Bool = false,
        onSignal: @escaping @Sendable (@escaping @Sendable (Int32) -> Void) -> AnyObject = { _ in Recorder() }
    ) async -> Recorder {
        let variables = ["STOREBUS_ADMIN_KEY": "admin", "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
        return await Recorder.run(
            ["store", "run"] + flags + ["--"] + program, variables: variables, transport: store, onSignal: onSignal,
            isInForeground: isInForeground
        ).said
    }

    private var made: Int { store.requests(.post, "/admin/v1/stores").count }
    private var removed: Int { store.requests(.delete, "/admin/v1/stores/t-7").count }

    @Test func `the program has the store's variables, and the store is removed when it succeeds`() async {
        let test = #"""
            test "$STOREBUS_STORE $STOREBUS_BUNDLE_ID $STOREBUS_PRIVATE_KEY" = 't-7 com.example.app s3cret' &&
            test "$STOREBUS_URL" = http://127.0.0.1:7430/s/t-7 && test "$MINE" = kept && test "$1" = 'a b'
            """#
        let said = await run([], "sh", "-c", test, "sh", "a b", variables: ["MINE": "kept", "STOREBUS_STORE": "t-9"])
        #expect(said.exit == 0)
        #expect(said.narration == "" && said.result == "")
        #expect(made == 1 && removed == 1)
    }

    @Test func `the program inherits empty variables too`() async {
        let said = await run([], "sh", "-c", #"test "${EMPTY-unset}" = """#, variables: ["EMPTY": ""])
        #expect(said.exit == 0, "\(said.narration)")
    }

    @Test(
        arguments: [
            ("exit 3", 3, []), ("kill -KILL $$", 137, []), ("exit 1", 1, ["-q"]),
        ] as [(String, Int32, [String])])
    func `when the program fails the store is kept, and the last line opens and removes it`(
        program: String, exit: Int32, flags: [String]
    ) async {
        let said = await run(flags, "sh", "-c", program)
        #expect(said.exit == exit)
        #expect(made == 1 && removed == 0)
        let line = said.narration.split(separator: "\n").last ?? ""
        #expect(line.hasPrefix("kept  t-7 until \(Format.time(FakeStore.madeStore.expiresAt))"))
        #expect(line.contains("  see it: storebus tx list --store t-7  "))
        #expect(line.contains("open it: storebus open --store t-7  remove it: storebus store delete t-7 --yes"))
    }

    @Test func `a store may be kept after a success`() async {
        let said = await run(["--keep"], "true")
        #expect(said.exit == 0)
        #expect(removed == 0)
        #expect(said.narration.hasPrefix("kept  t-7"))
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func `a signal ends the program, and the store is removed`(signal: Int32) async throws {
        let place = try TemporaryDirectory()
        let begun = place.file("begun")
        let said = await run(
            [], "sh", "-c", #": > "$1"; exec sleep 600"#, "sh", begun,
            onSignal: { pass in
                Task {
                    try await eventually("the program has begun") { FileAccess.exists(begun) }
                    pass(signal)
                }
                return Recorder()
            })
        #expect(said.exit == 128 + signal)
        #expect(said.narration == "")
        #expect(removed == 1)
        withExtendedLifetime(place) {}
    }

    @Test func `Ctrl-C of the terminal, which sends it to the program too, is not sent twice`() async throws {
        let place = try TemporaryDirectory()
        let begun = place.file("begun")
        let said = await run(
            [], "sh", "-c", #": > "$1"; while [ -e "$1" ]; do :; done; exit 4"#, "sh", begun, isInForeground: true,
            onSignal: { pass in
                Task {
                    try await eventually("the program has begun") { FileAccess.exists(begun) }
                    pass(SIGINT)
                    FileAccess.remove(begun)
                }
                return Recorder()
            })
        #expect(said.exit == 4)
        #expect(removed == 1)
        withExtendedLifetime(place) {}
    }

    @Test func `a signal before the program begins leaves nothing`() async {
        let said = await run(
            [], "/nowhere/program",
            onSignal: { pass in
                pass(SIGTERM)
                return Recorder()
            })
        #expect(said.exit == 143)
        #expect(made == 1 && removed == 1)
    }

    @Test func `a program that is not found leaves nothing`() async {
        let said = await run([], "/nowhere/program")
        #expect(said.exit == CLIExit.noSuchFile.rawValue)
        #expect(said.narration.contains("cannot run /nowhere/program: No such file or directory"))
        #expect(made == 1 && removed == 1)
    }

    @Test func `a refused catalogue leaves nothing, and its program is not run`() async throws {
        let place = try TemporaryDirectory()
        let file = place.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        store.answer("POST /admin/v1/stores/file", status: 422, StubTransport.problem(422, .catalogInvalid))
        let said = await run(["--catalogue", file], "/nowhere/program")
        #expect(said.exit == CLIExit.badInput.rawValue)
        #expect(said.narration.contains("no store was made"))
        #expect(made == 0 && removed == 0, "the gateway leaves none")
        let unread = await run(["--catalogue", "/nowhere/App.storekit"], "/nowhere/program")
        #expect(unread.exit == CLIExit.noSuchFile.rawValue)
        #expect(store.requests(.post, "/admin/v1/stores/file").count == 1, "the file is read first")
    }

    @Test func `a store that cannot be removed is named, and the program's status stays`() async {
        store.answer(
            "DELETE /admin/v1/stores/t-7", status: 503, StubTransport.problem(503, .serviceUnavailable))
        let said = await run([], "true")
        #expect(said.exit == 0)
        #expect(said.narration.contains("t-7 was not removed"))
        #expect(said.narration.contains("storebus store delete t-7 --yes"))
    }

    @Test func `without a program it says where one is named`() async {
        let said = await Recorder.run(["store", "run"], transport: store).said
        #expect(said.exit == CLIExit.usage.rawValue)
        #expect(said.narration.contains("storebus store run -- npm test"))
        #expect(store.requests.isEmpty)
    }
}
