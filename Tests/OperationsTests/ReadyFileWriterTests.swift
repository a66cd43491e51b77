import Foundation
import StorebusTesting
import Testing

@testable import Operations

/// Goal: the ready file appears when the process serves, whole, and not before.
@Suite struct ReadyFileWriterTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("ready.json")
    }

    private func readyFile(expectsListener: Bool = false) -> ReadyFileWriter {
        ReadyFileWriter(
            path: path, service: "gateway", instance: "i-1", host: "127.0.0.1", expectsListener: expectsListener)
    }

    @Test func `it says who serves where`() throws {
        let ready = readyFile(expectsListener: true)
        try ready.listening(host: "127.0.0.1", port: 7430)
        try ready.serving(monitorPort: 9)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text
                == #"{"host":"127.0.0.1","instance":"i-1","monitorPort":9,"#
                + #""pid":\#(ProcessInfo.processInfo.processIdentifier),"port":7430,"service":"gateway"}"#)
        ready.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a process that listens is ready when it serves and listens, in either order`() throws {
        let ready = readyFile()
        ready.expectListener()
        try ready.serving(monitorPort: 0)
        #expect(!ready.isReady)
        #expect(!FileManager.default.fileExists(atPath: path))
        try ready.listening(host: "127.0.0.1", port: 1)
        #expect(ready.isReady)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a process that does not listen is ready when it serves`() throws {
        let ready = readyFile()
        #expect(!ready.isReady)
        try ready.serving(monitorPort: 0)
        #expect(ready.isReady)
    }

    @Test func `a place that cannot be written is named`() {
        let ready = ReadyFileWriter(
            path: "/nowhere/at/all", service: "s", instance: "i", host: "h", expectsListener: false)
        let error = #expect(throws: StartupError.self) { try ready.serving(monitorPort: 0) }
        #expect(error?.exit == .badConfiguration)
        #expect(error?.message.contains("/nowhere/at/all") == true)
    }
}
