import ArgumentParser
import Glibc
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

@Suite struct DataDirectoryTests {
    private func record(_ directory: DataDirectory, pid: Int32 = getpid()) -> RunRecord {
        RunRecord(
            pid: pid, url: "http://127.0.0.1:40001", busURL: "storebus://127.0.0.1:40002", monitorPort: 40003,
            dataDirectory: directory.path, startedAt: Timestamp(milliseconds: 1_795_255_204_000), version: "0.1.0")
    }

    private func find(
        _ arguments: String..., in directory: String, _ environment: [String: String] = [:]
    ) async throws -> CommandContext {
        let options = try await Fixtures.options(arguments)
        let environment = CommandEnvironment(
            console: Recorder().console, variables: environment, currentDirectory: directory)
        return try CommandEnvironment.$current.withValue(environment) { try CommandContext.find(options) }
    }

    @Test func `the store of a project is found from any directory below it`() async throws {
        let project = try TemporaryDirectory()
        let store = DataDirectory(project.file(".storebus"))
        try store.prepare()
        try record(store).write(to: store)
        try FileAccess.write(Array("the key\n".utf8), to: store.adminKey, mode: 0o600)
        try FileAccess.makeDirectory(project.file("Sources/App"))
        let context = try await find(in: project.file("Sources/App"))
        #expect(context.api.url == "http://127.0.0.1:40001")
        #expect(context.api.adminKey == "the key")
        #expect(context.directory == store)
    }

    @Test func `a flag is stronger than the environment, and both than the project's store`() async throws {
        let project = try TemporaryDirectory()
        let store = DataDirectory(project.file(".storebus"))
        try store.prepare()
        try record(store).write(to: store)
        try FileAccess.write(Array("the key\n".utf8), to: store.adminKey, mode: 0o600)
        let environment = ["STOREBUS_URL": "http://other:1", "STOREBUS_ADMIN_KEY": "theirs"]
        let other = try await find(in: project.path, environment)
        #expect(other.api.url == "http://other:1")
        #expect(other.api.adminKey == "theirs")
        #expect(try await find("--url", "http://flag:2", in: project.path, environment).api.url == "http://flag:2")
    }

    @Test func `the key of a store is not sent to another address`() async throws {
        let project = try TemporaryDirectory()
        let store = DataDirectory(project.file(".storebus"))
        try store.prepare()
        try record(store).write(to: store)
        try FileAccess.write(Array("the key\n".utf8), to: store.adminKey, mode: 0o600)
        let context = try await find("--url", "http://other:1", in: project.path)
        #expect(context.api.adminKey == nil)
        #expect(context.directory == nil)
    }

    @Test func `without any store the default address is tried`() async throws {
        let empty = try TemporaryDirectory()
        #expect(try await find(in: empty.path).api.url == EffectiveSettings.defaultURL)
    }

    @Test func `a named directory without a running store is said to be so`() async throws {
        let directory = try TemporaryDirectory()
        let store = DataDirectory(directory.path)
        try store.prepare()
        for leftBehind in [false, true] {
            // No process has this number: it is above the kernel's greatest.
            if leftBehind { try record(store, pid: 0x7fff_fff0).write(to: store) }
            let error = await #expect(throws: CLIError.self) {
                try await find("--data", directory.path, in: "/")
            }
            #expect(error?.code == .serverUnreachable)
            #expect(error?.hints == ["start it: storebus up --data \(directory.path)"])
        }
    }

    @Test func `an empty variable counts as none`() async throws {
        let empty = try TemporaryDirectory()
        let context = try await find(in: empty.path, ["STOREBUS_URL": "", "STOREBUS_ADMIN_KEY": ""])
        #expect(context.api.url == EffectiveSettings.defaultURL)
        #expect(context.api.adminKey == nil)
    }

    @Test func `an address must be a URL`() async throws {
        let error = await #expect(throws: CLIError.self) { try await find("--url", "localhost:7430", in: "/") }
        #expect(error?.status == .usage)
    }

    @Test func `a data directory has one store at a time, and the second learns which process holds it`() throws {
        let directory = try TemporaryDirectory()
        let store = DataDirectory(directory.path)
        try store.prepare()
        var lock: DirectoryLock? = try DirectoryLock.take(store)
        let error = #expect(throws: CLIError.self) { try DirectoryLock.take(store) }
        #expect(error?.code == .dataDirectoryInUse)
        #expect(error?.status == .locked)
        #expect(error?.message.contains("held by pid \(getpid())") == true)
        withExtendedLifetime(lock) {}
        lock = nil
        _ = try DirectoryLock.take(store)
    }

    @Test func `a secret is made once and only its owner may read it`() throws {
        let directory = try TemporaryDirectory()
        let first = try Secret.keep(at: directory.file("admin.key"))
        #expect(first.count == 64)
        #expect(try Secret.keep(at: directory.file("admin.key")) == first)
        #expect(try Secret.keep(at: directory.file("bus.token")) != first)
        #expect(TemporaryDirectory.permissions(directory.file("admin.key")) == 0o600)
    }

    @Test func `the record of a running store survives being written and read`() throws {
        let directory = try TemporaryDirectory()
        let store = DataDirectory(directory.path)
        try store.prepare()
        try record(store).write(to: store)
        #expect(RunRecord.read(store) == record(store))
        #expect(record(store).isAlive)
    }

    @Test func `a log above its bound moves aside while its writer goes on`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("catalog.1.log")
        let writer = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(writer) }
        #expect(FileAccess.writeAll(Array("12345\n".utf8), to: writer))
        LogRotation.rotate(path, byteCountMax: 6)
        #expect(FileAccess.text(path) == "12345")
        #expect(FileAccess.writeAll(Array("6\n".utf8), to: writer))
        LogRotation.rotate(path, byteCountMax: 6)
        #expect(FileAccess.writeAll(Array("7\n".utf8), to: writer))
        #expect(FileAccess.text(path) == "7")
        #expect(FileAccess.text("\(path).1") == "12345\n6")
    }

    @Test func `the end of a log is its last lines, without control characters`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("catalog.1.log")
        #expect(LogTail.lines(path, count: 2) == [])
        try FileAccess.write(Array("one\n\ntwo\u{1B}[31m\nthree\n".utf8), to: path, mode: 0o600)
        #expect(LogTail.lines(path, count: 2) == ["two [31m", "three"])
    }
}
