import Foundation

/// Runs a script in a helper shell of the tests. The script may wait for the end of its input: ``end()``, or this
/// process's end.
///
/// It takes the place of Foundation's `Process`, whose `run()` in Swift 6.3 reads past the end of a directory's buffer
/// when the caller has more than some 1 300 descriptors, and crashes at random. Hundreds of concurrent tests have as
/// many.
package final class ShellProcess: Sendable {
    /// Reports why the system did not start the shell.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let processIdentifier: Int32
    /// Holds the script's input open.
    private let input: FileHandle

    package init(_ script: String) throws {
        let pipe = Pipe()
        input = pipe.fileHandleForWriting
        // Other processes that tests start must not hold the input open.
        for end in [pipe.fileHandleForReading, input] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        processIdentifier = try Self.spawn(script, input: pipe.fileHandleForReading.fileDescriptor)
    }

    package var isRunning: Bool { waitpid(processIdentifier, nil, WNOHANG) == 0 }

    /// Ends the script's input.
    func end() throws { try input.close() }

    private static func spawn(_ script: String, input: Int32) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // Foundation learns of a process's end by a socket that closes: a copy of it here would hide that end.
        for descriptor in STDERR_FILENO + 1..<1_024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A thread of Dispatch blocks signals, and what it starts would do so too.
        var (blocked, ordinary) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigfillset(&ordinary)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setsigdefault(&attributes, &ordinary)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(script), nil]
        defer { words.forEach { free($0) } }
        var identifier: Int32 = 0
        let error = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &words, environ)
        guard error == 0 else {
            throw Failure(description: "cannot start /bin/sh: \(String(cString: strerror(error)))")
        }
        return identifier
    }
}
