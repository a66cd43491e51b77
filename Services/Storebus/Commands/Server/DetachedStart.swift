import Glibc
import StoreModels

/// `up --detach`: starts `up` in a session of its own, waits until it is ready, and leaves it there.
struct DetachedStart: Sendable {
    let directory: DataDirectory
    /// Of the process that stays.
    let arguments: [String]
    let isQuiet: Bool

    /// What the process that stays prints; its banner is passed on from here.
    private var resultFile: String { "\(directory.runDirectory)/up.out" }
    private var narrationFile: String { "\(directory.logDirectory)/up.log" }

    /// - Throws: ``CLIError``, or ``QuietExit`` when the process that was to stay has said itself why it cannot.
    func run(_ environment: CommandEnvironment) async throws {
        if let holder = DirectoryLock.holder(directory) {
            throw DirectoryLock.inUse(directory, by: "\(holder)")
        }
        try directory.prepare()
        unlink(resultFile)
        let pid = try spawn()
        let progress = Progress(environment, isQuiet: isQuiet)
        let end: Outcome = try await progress.during("starting") { () throws(CLIError) in await outcome(of: pid) }
        switch end {
        case .ready(let banner): environment.console.result(banner)
        case .ended(let end): throw refusal(end, environment)
        }
    }

    private enum Outcome {
        case ready(banner: String)
        case ended(Termination)
    }

    /// Waits for the banner, which is written in one piece when everything is ready.
    private func outcome(of pid: Int32) async -> Outcome {
        while true {
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == 0 else { return .ended(Termination(waitStatus: status)) }
            if RunRecord.read(directory)?.pid == pid, let text = FileAccess.text(resultFile), !text.isEmpty {
                return .ready(banner: text + "\n")
            }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// What the process said is the reason; it is passed on as it is.
    private func refusal(_ end: Termination, _ environment: CommandEnvironment) -> any Error {
        if case .exited(let code) = end, let status = CLIExit(rawValue: code),
            let words = FileAccess.text(narrationFile), !words.isEmpty
        {
            environment.console.narrate(words + "\n")
            return QuietExit(status: status)
        }
        return CLIError(
            .serviceFailed, "the store did not start: \(end)", hints: ["its words: \(narrationFile)"])
    }

    /// `POSIX_SPAWN_SETSID`, which glibc's header keeps from programs that are not GNU's.
    private static let ownSession: Int16 = 0x80

    private func spawn() throws(CLIError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, resultFile, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, narrationFile, flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A session of its own: the terminal's Ctrl-C and hang-up do not reach it.
        posix_spawnattr_setflags(&attributes, Self.ownSession)
        var words = (["storebus"] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var pid: Int32 = 0
        let error = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, &words, environ)
        guard error == 0 else {
            throw CLIError(.serviceFailed, "cannot start storebus up: \(FileAccess.reason(error))")
        }
        return pid
    }
}
