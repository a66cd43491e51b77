import EventLoop
import Foundation
import Glibc
import StorebusTesting
import Testing

@testable import Persistence

/// S10: what a store keeps is its user's only, in a directory of its own and in one that was there.
@Suite struct FilePrivacyTests {
    private func set(_ mode: mode_t, _ path: String) throws { try #require(chmod(path, mode) == 0) }

    @Test func `a database, its log and its lock are readable by their owner only, with any umask`() async throws {
        let files = try TemporaryDatabase()
        try set(0o755, files.directory.path)
        try await files.withDatabase { database async throws in
            try await database.insert("kept")
            for suffix in ["", "-wal", "-shm", ".lock"] {
                #expect(TemporaryDirectory.permissions(files.path + suffix) == 0o600, "\(suffix)")
            }
        }
    }

    @Test func `one that is open to others is closed to them, and opens`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { try await $0.insert("kept") }
        try set(0o644, files.path)
        try await files.withDatabase { database async throws in
            #expect(TemporaryDirectory.permissions(files.path) == 0o600)
            let count = try await database.count()
            #expect(count == 1)
        }
    }

    @Test func `a link instead of a database is refused by its path`() throws {
        let files = try TemporaryDatabase()
        try FileManager.default.createSymbolicLink(
            atPath: files.path, withDestinationPath: files.directory.file("elsewhere"))
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains(files.path) == true)
    }

    @Test func `an empty directory is made private, one with something in it is left as it is`() throws {
        let directory = try TemporaryDirectory()
        let empty = directory.file("volume")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
        try set(0o755, empty)
        #expect(try FilePrivacy.checkDirectory(empty) == .tightened)
        #expect(TemporaryDirectory.permissions(empty) == 0o700)
        #expect(try FilePrivacy.checkDirectory(empty) == .isPrivate)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(empty)/notes.txt"))
        try set(0o750, empty)
        #expect(try FilePrivacy.checkDirectory(empty) == .isOpen)
        #expect(TemporaryDirectory.permissions(empty) == 0o750)
    }

    @Test func `a directory in which every user may exchange files is refused with the remedy`() throws {
        let directory = try TemporaryDirectory()
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: directory.file("notes.txt")))
        try set(0o777, directory.path)
        defer { try? set(0o700, directory.path) }
        let refusal = #expect(throws: FilePrivacy.Refusal.self) { try FilePrivacy.checkDirectory(directory.path) }
        #expect(refusal?.description.contains("chmod o-w \(directory.path)") == true)
        // With the sticky bit, as /tmp has it, others cannot exchange what is not theirs.
        try set(0o1777, directory.path)
        #expect(try FilePrivacy.checkDirectory(directory.path) == .isOpen)
    }
}
