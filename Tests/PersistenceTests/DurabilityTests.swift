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

    @Test func `a damaged page is found at the start`() async throws {
        let files = try TemporaryDatabase()
        try await files.withDatabase { database async throws in
            for number in 0..<300 { try await database.insert(String(repeating: "\(number) ", count: 100)) }
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: files.path))
        let size = try handle.seekToEnd()
        for page in stride(from: UInt64(4096 * 2), to: size, by: 4096) {
            try handle.seek(toOffset: page)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 64))
        }
        try handle.close()
        let error = #expect(throws: PersistenceError.self) { try files.open() }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains(files.path) == true)
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
