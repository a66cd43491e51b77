import EventLoop
import Foundation
import Glibc
import StorebusTesting

/// The sample app at a pseudo-terminal: what is typed goes in as from a keyboard, and every line it prints is read.
final class TerminalApp: Sendable {
    private let process: Process
    private let terminal: FileHandle
    private let printed = Locked(Printed())

    private struct Printed {
        var bytes: [UInt8] = []
        /// How many of the lines the test has read.
        var readCount = 0

        /// Without the last one, which may not be whole.
        var lines: [String] {
            bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map {
                String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self)
            }
        }
    }

    /// Launches the app.
    init(_ store: StoreProcess, account: String, _ arguments: String...) throws {
        let (terminal, other) = try Self.open()
        self.terminal = terminal
        process = Process()
        process.executableURL = URL(fileURLWithPath: try Executables.path(of: "InAppPurchases"))
        process.arguments = ["--url", store.url, "--account", account] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: store.directory.path)
        process.standardInput = other
        process.standardOutput = other
        process.standardError = other
        try process.run()
        try other.close()
        Thread.detachNewThread { [self] in read() }
    }

    /// Both ends of a new pseudo-terminal: the user's, and the app's.
    private static func open() throws -> (FileHandle, FileHandle) {
        var (master, slave): (Int32, Int32) = (0, 0)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else {
            throw StackError("there is no pseudo-terminal: \(String(cString: strerror(errno)))")
        }
        return (
            FileHandle(fileDescriptor: master, closeOnDealloc: true),
            FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        )
    }

    /// Until the app has ended: its end of the terminal is closed then.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(terminal.fileDescriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            printed.withLock { $0.bytes += buffer[..<count] }
        }
    }

    /// Types a line; the terminal shows it.
    func type(_ text: String) async throws {
        try terminal.write(contentsOf: Data("\(text)\n".utf8))
        try await expect(text)
    }

    /// Waits for the next line and compares it.
    func expect(_ expected: String) async throws {
        var line: String?
        do {
            try await eventually("the app prints a line", within: .seconds(20)) {
                line = printed.withLock { printed in
                    let lines = printed.lines
                    guard lines.count > printed.readCount else { return nil }
                    defer { printed.readCount += 1 }
                    return lines[printed.readCount]
                }
                return line != nil
            }
        } catch { throw StackError("expected '\(expected)', and the app prints nothing more; so far:\n\(text)") }
        guard let line, Dialogue.matches(expected, line) else {
            throw StackError("expected '\(expected)' and read '\(line ?? "")'; so far:\n\(text)")
        }
    }

    private var text: String { printed.withLock { $0.lines.joined(separator: "\n") } }

    /// Types `quit` and waits for the app's end.
    func quit() async throws {
        try await type("quit")
        let process = process
        try await eventually("the app has ended", within: .seconds(10)) { !process.isRunning }
        guard process.terminationStatus == 0 else {
            throw StackError("the app ended with \(process.terminationStatus)")
        }
    }

    /// Ends the app if the test did not.
    func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
