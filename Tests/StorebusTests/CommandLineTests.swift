import ArgumentParser
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What a command line ends with: words, stream and status.
@Suite struct CommandLineTests {
    private func run(_ arguments: String...) async -> (status: CLIExit, said: Recorder) {
        await Recorder.run(arguments)
    }

    @Test func `a misspelt command is answered with the one that was meant`() async {
        let (status, said) = await run("byu", "pro.monthly")
        #expect(status == .usage)
        #expect(said.result == "")
        #expect(said.narration.contains("[usage]"))
        #expect(said.narration.contains("did you mean 'storebus buy'?"))
    }

    @Test func `a misspelt second word too`() async {
        let (status, said) = await run("tx", "lsit")
        #expect(status == .usage)
        #expect(said.narration.contains("did you mean 'storebus tx list'?"))
    }

    @Test func `an unknown option is named with its near one`() async {
        let (status, said) = await run("status", "--outptu", "json")
        #expect(status == .usage)
        #expect(said.narration.contains("--outptu"))
        #expect(said.narration.contains("--output"))
        #expect(said.narration.contains("help: storebus status --help"))
    }

    @Test func `a missing account is named`() async {
        let (status, said) = await run("buy", "pro.monthly")
        #expect(status == .usage)
        #expect(said.narration.contains("--as <account>"))
    }

    @Test(arguments: [["up", "--port", "70000"], ["up", "--port", "0"], ["up", "--bus-port", "x"]])
    func `a port is a number or auto`(arguments: [String]) async {
        let (status, recorder) = await Recorder.run(arguments)
        #expect(status == .usage)
        #expect(recorder.narration.contains("port"))
    }

    @Test(arguments: [["--help"], ["help"], ["buy", "--help"], ["--version"]])
    func `help and version are results and succeed`(arguments: [String]) async {
        let (status, recorder) = await Recorder.run(arguments)
        #expect(status == .success)
        #expect(!recorder.result.isEmpty)
        #expect(recorder.narration == "")
    }

    @Test func `help has the table of exit statuses`() async {
        let (_, said) = await run("--help")
        for status in CLIExit.allCases {
            #expect(said.result.contains("\(status.rawValue)  \(status.meaning)"))
        }
    }

    @Test func `with -o json an error is one line of JSON on standard error`() async throws {
        let (status, said) = await run("import", "/nowhere/App.storekit", "--url", "http://127.0.0.1:9", "-o", "json")
        #expect(status == .noSuchFile)
        #expect(said.result == "")
        #expect(said.narration.split(separator: "\n").count == 1)
        let error = try #require(StrictJSON.parse(Array(said.narration.utf8))["error"])
        #expect(error["code"] == "fileNotFound")
        #expect(error["retryable"] == false)
        #expect(error["docs"] == "docs/ERRORS.md#filenotfound")
        #expect(error["hint"]?.stringValue?.isEmpty == false)
    }

    @Test func `a file that is no JSON is refused with its line before anything is asked`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.storekit")
        try FileAccess.write(Array("{\n  \"products\": [\n    {,}\n  ]\n}".utf8), to: file, mode: 0o600)
        let (status, said) = await run("import", file, "--url", "http://127.0.0.1:9")
        #expect(status == .badInput)
        #expect(said.narration.contains("\(file):3: $.products[0]"))
        #expect(said.narration.contains("nothing was imported"))
    }

    @Test func `an address without a store is reported with the address and the remedies`() async throws {
        let directory = try TemporaryDirectory()
        let (status, said) = await run("status", "--url", "http://127.0.0.1:9", "--data", directory.path)
        #expect(status == .unreachable)
        #expect(said.narration.contains("no Storebus at http://127.0.0.1:9"))
        #expect(said.narration.contains("[serverUnreachable]"))
        #expect(said.narration.contains("start one: storebus up"))
    }

    @Test func `without an address the error says that no running store was found here or above`() async {
        let said = await Recorder.run(["tx", "list"], transport: SilentStore()).said
        #expect(said.narration.contains("here and above is no .storebus of a store that runs"), "\(said.narration)")
        let named = await Recorder.run(["tx", "list", "--url", "http://store"], transport: SilentStore()).said
        #expect(!named.narration.contains("here and above"))
    }

    @Test func `files and apps are paired, and one app takes one file`() throws {
        #expect(try CatalogFile.pair([], []).isEmpty)
        #expect(try CatalogFile.pair(["A"], []).map(\.bundleId) == ["com.example.app"])
        #expect(try CatalogFile.pair(["A", "B"], ["a", "b"]).map(\.bundleId) == ["a", "b"])
        for (files, names) in [
            (["A", "B"], []), (["A", "B"], ["a"]), (["A", "B"], ["a", "a"]), (["A"], ["a", "b"]),
        ] {
            let error = #expect(throws: CLIError.self) { try CatalogFile.pair(files, names) }
            #expect(error?.status == .usage)
        }
    }

    @Test func `the first gateway alone gets the port for HTTPS, by the flag before the variable`() throws {
        func list(_ flag: Int?, _ variable: String?) throws -> ServiceList {
            let directory = try TemporaryDirectory()
            for name in ServiceName.allCases.map(\.rawValue) + ["broker"] {
                try FileAccess.write([], to: directory.file(name), mode: 0o700)
            }
            let command = try UpCommand.parse(
                [
                    "--data", directory.path, "--port", "auto", "--bus-port", "auto", "--replicas", "gateway=2",
                    "--database-url", "postgres://storebus@localhost/storebus",
                ] + (flag.map { ["--https-port", "\($0)"] } ?? []))
            return try UpPlan.make(
                command,
                environment: variable.map { ["STOREBUS_HTTPS_PORT": $0] } ?? [:],
                executableDirectory: directory.path
            ).serviceList
        }
        func port(_ list: ServiceList, _ name: String) -> String? {
            list.launch(name, ports: [:]).environment["STOREBUS_HTTPS_PORT"]
        }
        for (flag, variable, expected) in [
            (443, "8443", "443"), (nil, "8443", "8443"), (nil, nil, nil),
            // The gateway refuses it, with the variable's name.
            (nil, "none", "none"),
        ] as [(Int?, String?, String?)] {
            let list = try list(flag, variable)
            #expect(port(list, "gateway") == expected)
            #expect(port(list, "gateway#2") == nil)
            #expect(port(list, "catalog") == nil)
        }
    }

    @Test func `missing executables are named before anything is started`() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: CLIError.self) {
            try UpPlan.make(
                UpCommand.parse(["--data", directory.path, "--port", "auto", "--bus-port", "auto"]),
                environment: [:], executableDirectory: directory.path)
        }
        #expect(error?.code == .executableMissing)
        #expect(error?.message.contains("broker") == true)
        #expect(error?.hints == ["build everything: make build"])
    }
}
