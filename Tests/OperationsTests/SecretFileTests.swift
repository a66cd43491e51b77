import Foundation
import StorebusTesting
import Testing

@testable import Operations

@Suite struct SecretFileTests {
    @Test func `a secret is the file's text without its line end`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("bus.token")
        try Data("abc def\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try SecretFile.text(path, of: "BUS_CREDENTIALS_FILE") == "abc def")
    }

    @Test func `a file that is missing or empty is named with the setting that named it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("bus.token")
        let missing = #expect(throws: StartupError.self) { try SecretFile.text(path, of: "BUS_CREDENTIALS_FILE") }
        #expect(missing == StartupError(.badConfiguration, "the file of BUS_CREDENTIALS_FILE, \(path), does not exist"))
        try Data("\n".utf8).write(to: URL(fileURLWithPath: path))
        let empty = #expect(throws: StartupError.self) { try SecretFile.text(path, of: "BUS_CREDENTIALS_FILE") }
        #expect(empty?.message == "the file of BUS_CREDENTIALS_FILE, \(path), is empty")
    }
}
