import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

@Suite struct InitDirectoryTests {
    private func directory(_ files: [String: String]) throws -> (TemporaryDirectory, InitDirectory) {
        let directory = try TemporaryDirectory()
        for (name, text) in files { try FileAccess.write(Array(text.utf8), to: directory.file(name), mode: 0o600) }
        return (directory, try InitDirectory(directory.path))
    }

    @Test func `catalogues are taken in the order of their names, each for the app of its name`() throws {
        let (held, found) = try directory([
            "20-com.example.b.storekit": "{}", "10-App.storekit": "{}", "com.example.c.json": #"{"products":[]}"#,
            "notes.txt": "",
            ".hidden.json": "{}", "-x.storekit": "{}",
        ])
        defer { withExtendedLifetime(held) {} }
        #expect(
            found.files.map(\.name) == [
                "-x.storekit", "10-App.storekit", "20-com.example.b.storekit", "com.example.c.json",
            ])
        #expect(
            found.files.map(\.bundleId) == ["com.example.app", "com.example.app", "com.example.b", "com.example.c"])
        #expect(found.files.map(\.nameWithoutNumber)[1...2] == ["App.storekit", "com.example.b.storekit"])
        #expect(found.waiting.allSatisfy { $0.status == .waiting })
        #expect(found.hasCatalogue)
    }

    @Test func `JSON that is no catalogue is skipped, and an app takes one file`() throws {
        let (held, found) = try directory([
            "App.storekit": "{}", "package.json": #"{"name":"app"}"#, "products.json": #"{"products":[]}"#,
            "z.json": "{",
        ])
        defer { withExtendedLifetime(held) {} }
        let files = Dictionary(exactly: found.files.map { ($0.name, $0) })
        func read(_ name: String, _ taken: [ExactText: String] = [:]) throws -> [UInt8] {
            try found.read(#require(files[name]), taken: taken)
        }
        #expect(found.files.filter(\.isSkipped).map(\.name) == ["package.json"])
        #expect(try read("App.storekit").count == 2)
        #expect(try read("products.json").count == 15)
        let second = #expect(throws: CLIError.self) {
            try read("products.json", ["com.example.app": "App.storekit"])
        }
        #expect(second?.message.contains("App.storekit") == true)
        #expect(throws: CLIError.self) { try read("z.json") }
    }

    @Test func `a directory without a catalogue leaves the sample`() throws {
        let (held, found) = try directory(["package.json": #"{"name":"app"}"#])
        defer { withExtendedLifetime(held) {} }
        #expect(!found.hasCatalogue)
        #expect(found.waiting.map(\.status) == [.skipped])
    }

    @Test func `a directory that is missing is named before anything is started`() {
        let error = #expect(throws: CLIError.self) { try InitDirectory("/nonexistent/init.d") }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("/nonexistent/init.d") == true)
    }
}
