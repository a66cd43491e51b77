import Foundation
import Logging
import StorebusTesting
import Testing

@testable import Persistence

@Suite struct DurabilityTests {
    @Test func `the writer has the settings durability rests on`() async throws {
        try await TemporaryDatabase().withDatabase { database async throws in
            let settings = try await database.write { transaction in
                var settings: [SQLValue?] = []
                for name in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"] {
                    settings.append(try await transaction.queryOne("PRAGMA \(name)")?.values.first)
                }
                return settings
            }
            #expect(settings == [.text("wal"), .integer(2), .integer(1), .integer(5000)])
        }
    }

    @Test func `a connection without them is refused by name`() async throws {
        let files = try TemporaryDatabase()
        let connection = try SQLiteOpening.writer(path: files.path)
        let error = #expect(throws: PersistenceError.self) {
            try SQLiteOpening.assertDurable(connection, expecting: [("busy_timeout", .integer(1))])
        }
        #expect(error?.code == .notDurable)
        #expect(error?.message.contains("busy_timeout") == true)
        try connection.close()
    }

    @Test func `what was written is there after closing and opening`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { try await $0.insert("kept") }
        try await files.withDatabase { database async throws in
            let count = try await database.count()
            #expect(count == 1)
        }
    }

    @Test func `a file that is no database is named and left alone`() throws {
        let files = try TemporaryDatabase()
        let text = String(repeating: "not a database ", count: 100)
        try text.write(toFile: files.path, atomically: true, encoding: .utf8)
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains(files.path) == true)
        #expect(try String(contentsOfFile: files.path, encoding: .utf8) == text)
    }

    @Test func `a damaged page is found at the first start of the machine after it ended under the database`()
        async throws
    {
        let files = try TemporaryDatabase()
        try await files.withDatabase { database async throws in
            for number in 0..<300 { try await database.insert(String(repeating: "\(number) ", count: 100)) }
        }
        try "812 items\nan-earlier-start-of-the-machine\n".write(
            toFile: files.path + ".lock", atomically: false, encoding: .utf8)
        try damage(files)
        for _ in 0..<2 {
            let error = #expect(throws: PersistenceError.self) { try files.open() }
            #expect(error?.code == .corrupted, "it is not taken for whole because it was looked at")
            #expect(error?.message.contains(files.path) == true)
        }
    }

    @Test func `a copy, which has no lock file beside it, is checked`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { database async throws in
            for number in 0..<300 { try await database.insert(String(repeating: "\(number) ", count: 100)) }
        }
        try damage(files)
        try FileManager.default.removeItem(atPath: files.path + ".lock")
        #expect(throws: PersistenceError.self) { try files.open() }
    }

    private func damage(_ files: TemporaryDatabase) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: files.path))
        let size = try handle.seekToEnd()
        for page in stride(from: UInt64(4096 * 2), to: size, by: 4096) {
            try handle.seek(toOffset: page)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 64))
        }
        try handle.close()
    }

    @Test func `a database is read whole only when the machine has ended under it`() async throws {
        let files = try TemporaryDatabase()
        func lastEnd(of text: String?) throws -> LockFile.LastEnd {
            let path = files.directory.file("\(text?.count ?? -1).sqlite")
            if let text { try text.write(toFile: path + ".lock", atomically: false, encoding: .utf8) }
            let lock = try LockFile(guarding: path, holder: "items", machine: "this-start")
            defer { lock.release(isInOrder: false) }
            return lock.lastEnd
        }
        #expect(try lastEnd(of: nil) == .unknown)
        #expect(try lastEnd(of: "") == .written, "closed in good order")
        #expect(try lastEnd(of: "812 items\nthis-start\n") == .written, "killed, and the machine went on")
        #expect(try lastEnd(of: "812 items\nanother-start\n") == .unknown)
        #expect(try lastEnd(of: "812 items\n") == .unknown, "killed before it was known to be whole")
    }

    @Test func `what was not written in order is checked next time`() throws {
        let files = try TemporaryDatabase()
        for (isInOrder, isWhole, expected) in [(true, true, LockFile.LastEnd.written), (false, false, .unknown)] {
            let lock = try LockFile(guarding: files.path, holder: "items", machine: "this-start")
            if isWhole { lock.noteWhole() }
            lock.release(isInOrder: isInOrder)
            let next = try LockFile(guarding: files.path, holder: "items", machine: "this-start")
            #expect(next.lastEnd == expected)
            next.release(isInOrder: false)
        }
    }

    @Test func `a directory that is not there is named`() throws {
        let error = #expect(throws: PersistenceError.self) {
            try SQLiteDatabase.open(
                path: "/nowhere/at/all.sqlite", holder: "items", migrations: [], logger: Logger(label: "test"))
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("/nowhere/at/all.sqlite") == true)
    }
}
