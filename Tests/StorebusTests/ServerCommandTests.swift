import EventLoop
import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `status`, `down`, `env`, `doctor`, `open`.
@Suite struct ServerCommandTests {
    // MARK: status

    @Test func `the exit status says whether the store is ready, and a note which service is not`() async {
        let store = FakeStore()
        #expect(await store.run("status").status == .success)
        store.answer(
            "GET /readyz", status: 503,
            ["ready": false, "services": ["catalog": "answering", "payment-queue": "silent"]])
        let (status, said) = await store.run("status")
        #expect(status == .temporary)
        #expect(said.narration.contains("note: payment-queue does not answer\n"))
        #expect(await Recorder.run(["status", "--url", "http://127.0.0.1:9"]).status == .unreachable)
        #expect(await Recorder.run(["status", "--data", "/nowhere/store"]).status == .unreachable)
    }

    @Test func `a store whose purchases wait for the payment processor is not ready`() async {
        let store = FakeStore()
        store.answer(
            "GET /readyz",
            [
                "ready": true, "bus": "connected", "degraded": ["payment-processor"],
                "services": [
                    "catalog": "answering", "payment-queue": "answering", "payment-processor": "away",
                ],
            ])
        let (status, said) = await store.run("status")
        #expect(status == .temporary)
        #expect(said.narration.contains("payment-processor does not answer"))
    }

    @Test func `status waits until the store is ready`() async {
        let store = FakeStore()
        store.answer("GET /readyz") { [store] _ in
            store.requests(.get, "/readyz").count < 3 ? (503, ["ready": false]) : (200, ["ready": true])
        }
        #expect(await store.run("status", "--wait", "--timeout", "1h").status == .success)
        #expect(store.requests(.get, "/readyz").count == 4)
    }

    @Test func `waiting until the store is ready has an end`() async {
        let store = FakeStore()
        store.answer("GET /readyz", status: 503, ["ready": false])
        let (status, said) = await store.run("status", "--wait", "--timeout", "150ms")
        #expect(status == .temporary)
        #expect(said.result.contains("  not ready  "))
    }

    // MARK: down

    @Test func `a store that does not run is stopped already`() async throws {
        let directory = try TemporaryDirectory()
        let (status, said) = await Recorder.run(["down", "--data", directory.path])
        #expect(status == .success)
        #expect(said.result == "no store runs on \(directory.path)\n")
    }

    @Test func `the process that holds a directory is known, and none once it lets go`() throws {
        let place = try TemporaryDirectory()
        let directory = DataDirectory(place.path)
        #expect(DirectoryLock.holder(directory) == nil)
        do {
            let lock = try DirectoryLock.take(directory)
            #expect(DirectoryLock.holder(directory) == getpid())
            withExtendedLifetime(lock) {}
        }
        #expect(DirectoryLock.holder(directory) == nil)
        #expect(try DirectoryLock.take(directory) !== nil as DirectoryLock?)
    }

    @Test func `a store elsewhere is not stopped, nor are its logs read`() async {
        for command in ["down", "logs"] {
            let (status, said) = await Recorder.run([command, "--url", "http://there"])
            #expect(status == .usage)
            #expect(said.narration.contains("--data DIR"))
        }
    }

    // MARK: env

    @Test(arguments: [
        (
            "shell",
            """
            export STOREBUS_URL=http://store
            export STOREBUS_BUNDLE_ID='a b'"'"'c'
            export STOREBUS_ACCOUNT=alice
            export STOREBUS_DEVICE_ID=alice-1
            export STOREBUS_ADMIN_KEY='$k'

            """
        ),
        (
            "dotenv",
            """
            STOREBUS_URL=http://store
            STOREBUS_BUNDLE_ID="a b'c"
            STOREBUS_ACCOUNT=alice
            STOREBUS_DEVICE_ID=alice-1
            STOREBUS_ADMIN_KEY="\\$k"

            """
        ),
        (
            "github",
            """
            STOREBUS_URL=http://store
            STOREBUS_BUNDLE_ID=a b'c
            STOREBUS_ACCOUNT=alice
            STOREBUS_DEVICE_ID=alice-1
            STOREBUS_ADMIN_KEY=$k

            """
        ),
        (
            "json",
            #"{"STOREBUS_ACCOUNT":"alice","STOREBUS_ADMIN_KEY":"$k","STOREBUS_BUNDLE_ID":"a b'c","#
                + #""STOREBUS_DEVICE_ID":"alice-1","STOREBUS_URL":"http://store"}"# + "\n"
        ),
    ])
    func `variables are written as each reader takes them`(form: String, text: String) async {
        let (status, said) = await Recorder.run(
            ["env", "--format", form],
            variables: ["STOREBUS_URL": "http://store", "STOREBUS_BUNDLE_ID": "a b'c", "STOREBUS_ADMIN_KEY": "$k"],
            transport: FakeStore())
        #expect(status == .success)
        #expect(said.narration == (form == "github" ? "::add-mask::$k\n" : ""))
        // Both ways to get a single quote into a single-quoted word are right.
        #expect(said.result == text || said.result == text.replacing("'\"'\"'", with: "'\\''"))
    }

    @Test(
        arguments: [
            ([], [:], "alice", "alice-1"), (["--as", "bob"], [:], "bob", "bob-1"),
            (["--as", "bob", "--device", "phone"], [:], "bob", "phone"),
            ([], ["STOREBUS_ACCOUNT": "carol", "STOREBUS_DEVICE_ID": "tablet"], "carol", "tablet"),
            (["--as", "bob"], ["STOREBUS_ACCOUNT": "carol", "STOREBUS_DEVICE_ID": "tablet"], "bob", "bob-1"),
        ] as [([String], [String: String], String, String)])
    func `env says who the app is and on which device`(
        arguments: [String], variables: [String: String], account: String, device: String
    ) async throws {
        let (status, said) = await Recorder.run(
            ["env", "--format", "json"] + arguments,
            variables: variables.merging(["STOREBUS_URL": "http://store"]) { mine, _ in mine }, transport: FakeStore())
        #expect(status == .success)
        let printed = try StrictJSON.parse(Array(said.result.utf8))
        #expect(printed["STOREBUS_ACCOUNT"]?.stringValue == account)
        #expect(printed["STOREBUS_DEVICE_ID"]?.stringValue == device)
    }

    @Test func `a command that cannot be run is named`() async {
        let (status, said) = await Recorder.run(
            ["env", "--", "/nowhere/program"], variables: ["STOREBUS_URL": "http://store"], transport: FakeStore())
        #expect(status == .noSuchFile)
        #expect(said.narration.contains("cannot run /nowhere/program"))
    }

    // MARK: doctor

    private func findings(_ arguments: String..., store: any StoreTransport, directory: String) async throws -> (
        CLIExit, [String: (status: String, remedy: String)]
    ) {
        let (status, said) = await Recorder.run(
            ["doctor", "-o", "json"] + arguments, variables: ["STOREBUS_ADMIN_KEY": "admin"], directory: directory,
            transport: store)
        let items = try #require(StrictJSON.parse(Array(said.result.utf8))["data"]?.arrayValue)
        let pairs = items.map { item in
            (
                item["check"]?.stringValue ?? "",
                (status: item["status"]?.stringValue ?? "", remedy: item["remedy"]?.stringValue ?? "")
            )
        }
        return (status, Dictionary(pairs) { first, second in first.status == "pass" ? second : first })
    }

    @Test func `doctor names what is wrong, and a remedy for it`() async throws {
        let project = try TemporaryDirectory()
        let directory = DataDirectory(project.file(".storebus"))
        try directory.prepare()
        try FileAccess.write(Array("key\n".utf8), to: directory.adminKey, mode: 0o644)
        let (status, found) = try await findings(store: FakeStore(), directory: project.path)
        #expect(status == .refused)
        #expect(found["secrets"]?.status == "fail")
        #expect(found["secrets"]?.remedy == "chmod 600 \(directory.adminKey)")
        #expect(found["eligibility"]?.status == "fail")
        #expect(found["eligibility"]?.remedy == "storebus logs eligibility")
        #expect(found["catalog"]?.status == "warn")
        #expect(found["store"]?.status == "pass")
        #expect(found["disk"] != nil && found["clock"] != nil)
        for (check, finding) in found where finding.status != "pass" {
            #expect(!finding.remedy.isEmpty, "\(check)")
        }
    }

    @Test func `in containers the remedies are docker's, and the bus is in the table`() async throws {
        let project = try TemporaryDirectory()
        let variables = [
            "STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://gateway:7430", "STOREBUS_DEPLOYMENT": "compose",
        ]
        func said(_ arguments: String...) async -> String {
            let (_, said) = await Recorder.run(
                arguments, variables: variables, directory: project.path, transport: FakeStore())
            return said.result + said.narration
        }
        let doctor = await said("doctor")
        #expect(doctor.contains("docker compose logs eligibility"))
        #expect(!doctor.contains("storebus logs") && !doctor.contains("make build"))
        #expect(await said("status").contains("broker"))
        #expect(await said("logs", "catalog").contains("docker compose logs catalog"))
    }

    @Test func `of a store on another machine doctor refers to no logs that are not here`() async throws {
        let project = try TemporaryDirectory()
        let (_, said) = await Recorder.run(
            ["doctor"], variables: ["STOREBUS_ADMIN_KEY": "admin", "STOREBUS_URL": "http://there"],
            directory: project.path, transport: FakeStore())
        #expect(said.result.contains("read the log of eligibility where it runs"))
        #expect(!said.result.contains("storebus logs"))
    }

    @Test func `doctor says who has the port of a store that does not run`() async throws {
        let project = try TemporaryDirectory()
        let (_, found) = try await findings(store: SilentStore(), directory: project.path)
        for port in [7430, 7420, 7421] { #expect(found["port \(port)"] != nil) }
    }

    @Test func `the ports of a store that was started by hand and answers are no finding`() async throws {
        let project = try TemporaryDirectory()
        let (_, found) = try await findings(store: FakeStore(), directory: project.path)
        #expect(found["store"]?.status == "pass")
        #expect(!found.keys.contains { $0.hasPrefix("port ") })
    }

    @Test func `no store is a fault only where one was named`() async throws {
        let project = try TemporaryDirectory()
        let nobody = await Recorder.run(["doctor"], directory: project.path, transport: SilentStore())
        #expect(nobody.status == .success)
        #expect(nobody.said.result.contains("store"))
        let named = await Recorder.run(
            ["doctor", "--url", "http://there"], directory: project.path, transport: SilentStore())
        #expect(named.status == .refused)
        #expect(named.said.narration.contains("next: storebus up"))
    }

    @Test func `doctor tells another version`() async throws {
        let project = try TemporaryDirectory()
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/services",
            [
                "missing": .array([]),
                "services": [["name": "catalog", "id": "i", "version": "9.9.9", "status": "pass"]],
            ])
        let (_, found) = try await findings(store: store, directory: project.path)
        #expect(found["versions"]?.status == "warn")
    }

    private static let consoleAddress = "http://store/#ticket=AgAAAZtest"

    private func open(
        _ arguments: [String] = [], isTerminal: Bool, opens: Bool = true
    ) async -> (status: CLIExit, said: Recorder, opened: [String]) {
        let opened = Locked<[String]>([])
        let (status, said) = await Recorder.run(
            ["open"] + arguments, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "admin"],
            terminal: Terminal(isInput: isTerminal, isOutput: isTerminal, isError: isTerminal),
            transport: FakeStore(),
            openPage: { address, _ in
                opened.withLock { $0.append(address) }
                return opens
            })
        return (status, said, opened.withLock { $0 })
    }

    @Test func `open prints the console's address with a ticket, and opens it on a terminal`() async {
        let (status, said, opened) = await open(isTerminal: true)
        #expect(status == .success)
        #expect(said.result == "\(Self.consoleAddress)\n")
        #expect(opened == [Self.consoleAddress])
        #expect(said.narration.contains("opened in the browser"))
        let without = await open(isTerminal: true, opens: false)
        #expect(without.said.result == "\(Self.consoleAddress)\n")
        #expect(without.said.narration.contains("within a minute"))
    }

    @Test func `open only prints in a script, with --print and for programs`() async {
        for (arguments, isTerminal) in [([], false), (["--print"], true), (["-o", "json"], true)] as [([String], Bool)]
        {
            let (status, said, opened) = await open(arguments, isTerminal: isTerminal)
            #expect(status == .success)
            #expect(said.result.contains(Self.consoleAddress))
            #expect(opened.isEmpty, "\(arguments)")
        }
    }

    @Test func `open without an admin key prints the address alone, and says so`() async {
        let store = FakeStore()
        let (status, said) = await Recorder.run(["open", "--url", "http://store"], transport: store)
        #expect(status == .success)
        #expect(said.result == "http://store\n")
        #expect(said.narration.contains("no admin key is known"))
        #expect(store.requests.isEmpty)
    }

    @Test func `the browser's program is looked for in PATH, and started without the admin key`() async throws {
        let directory = try TemporaryDirectory()
        let program = directory.file("xdg-open")
        let seen = directory.file("seen")
        try FileAccess.write(
            Array("#!/bin/sh\necho \"$1 $STOREBUS_ADMIN_KEY.\" >'\(seen).new'; mv '\(seen).new' '\(seen)'\n".utf8),
            to: program, mode: 0o755)
        #expect(Browser.find(in: "relative:\(directory.path)/none:\(directory.path)") == program)
        #expect(Browser.find(in: ".:") == nil)
        #expect(!Browser.open("http://store/", ["PATH": "/nowhere"]))
        #expect(
            Browser.open(
                "http://store/", ["PATH": "\(directory.path):/usr/bin:/bin", "STOREBUS_ADMIN_KEY": "secret"]))
        try await eventually("the browser was started") { FileAccess.text(seen) != nil }
        #expect(FileAccess.text(seen)?.hasPrefix("http://store/ .") == true)
    }
}
