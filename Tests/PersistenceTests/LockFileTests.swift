import Foundation
import StorebusTesting
import Testing

@testable import Persistence

@Suite struct LockFileTests {
    @Test func `a second opener is refused and told who holds the file`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { _ in
            let error = #expect(throws: PersistenceError.self) { try files.open() }
            #expect(error?.code == .held)
            let pid = ProcessInfo.processInfo.processIdentifier
            #expect(
                error?.message
                    == "\(files.path) is held by pid \(pid) (items); stop it first: replicas need DATABASE_URL")
        }
        try await files.withDatabase { _ in }
    }

    @Test func `the lock holds against another process and ends with close`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { _ in
            let free = try otherProcessCanLock(files)
            #expect(!free)
        }
        #expect(try otherProcessCanLock(files))
    }

    @Test func `another process holding the file refuses us by its pid`() async throws {
        let files = try TemporaryDatabase()
        let holder = try Holder(of: files, calledAs: "$$ other")
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(error?.code == .held)
        #expect(error?.message.contains("pid \(holder.process.processIdentifier) (other)") == true)
        try holder.end()
        // Its file is still there with its pid in it, and is no obstacle.
        try await files.withDatabase { _ in }
    }

    @Test func `a holder in another container is named by its host, and one is enough`() throws {
        let files = try TemporaryDatabase()
        let holder = try Holder(of: files, calledAs: "1 items 3f2a91c0")
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(
            error?.message
                == "\(files.path) is held by items on host 3f2a91c0 (pid 1), in another container or on another "
                + "machine that uses this volume; run one of them, or give every replica the same DATABASE_URL")
        try holder.end()
    }

    /// Another process that holds a database's file.
    private struct Holder {
        let process = Process()
        private let input = Pipe()

        /// - Parameter name: What it writes into the file about itself, as the shell expands it.
        init(of files: TemporaryDatabase, calledAs name: String) throws {
            let lockPath = files.path + ".lock"
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // The shell locks descriptor 9, tells who it is as a service does, says so, and waits for its input to end.
            process.arguments = [
                "-c", "exec 9>>'\(lockPath)'; flock 9; echo \"\(name)\" > '\(lockPath)'; echo locked; read line",
            ]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            #expect(output.fileHandleForReading.availableData == Data("locked\n".utf8))
        }

        func end() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    private func otherProcessCanLock(_ files: TemporaryDatabase) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--nonblock", files.path + ".lock", "true"]
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
