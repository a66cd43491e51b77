import CProcess
import Dispatch
import EventLoop
import Glibc

/// A child process: a service of `storebus up`, or the program of `storebus store run`.
struct ChildProcess: Sendable {
    struct Launch: Hashable, Sendable {
        /// Absolute.
        var executable: String
        /// Without the program's own name.
        var arguments: [String]
        var environment: [String: String]
        /// Standard output and errors are appended to it.
        var logFile: String
    }

    /// The system could not start the program.
    struct Failure: Error, Hashable, Sendable {
        var reason: String
    }

    let pid: Int32

    /// Runs a service, from the ``SpawnThread``. The kernel kills it when `storebus up` ends.
    ///
    /// It is in a process group of its own, so that Ctrl-C at the terminal reaches `up` only, which stops the services
    /// in order.
    /// - Parameter onExit: Called once, on a thread of its own, when the process has ended and was reaped.
    static func start(
        _ launch: Launch, onExit: @escaping @Sendable (Int32, Termination) -> Void
    ) throws(Failure) -> ChildProcess {
        let child = try SpawnThread.shared.run { fork(launch) }.get()
        child.wait(onExit)
        return child
    }

    /// Runs a program of `PATH` with this process's standard streams, terminal and process group.
    ///
    /// Signals that this process catches have their default effect in the program.
    /// - Parameter onExit: As for ``start(_:onExit:)``.
    static func startInForeground(
        _ command: [String], environment: [String: String],
        onExit: @escaping @Sendable (Int32, Termination) -> Void
    ) throws(Failure) -> ChildProcess {
        try spawn(command, environment, nil, onExit)
    }

    /// Runs a program of `PATH` without input, and discards its output. It may outlive this process.
    static func startInBackground(
        _ command: [String], environment: [String: String]
    ) throws(Failure) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        return try spawn(command, environment, &actions) { _, _ in }
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String],
        _ actions: UnsafePointer<posix_spawn_file_actions_t>?,
        _ onExit: @escaping @Sendable (Int32, Termination) -> Void
    ) throws(Failure) -> ChildProcess {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var caught = sigset_t()
        sigemptyset(&caught)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&caught, number) }
        posix_spawnattr_setsigdefault(&attributes, &caught)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, command[0], actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw Failure(reason: FileAccess.reason(error)) }
        let child = ChildProcess(pid: pid)
        child.wait(onExit)
        return child
    }

    private static func fork(_ launch: Launch) -> Result<ChildProcess, Failure> {
        var arguments = ([launch.executable] + launch.arguments).map { strdup($0) } + [nil]
        var environment = launch.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var pid: Int32 = 0
        let error = storebus_spawn(launch.executable, &arguments, &environment, launch.logFile, &pid)
        guard error == 0 else {
            return .failure(Failure(reason: "\(launch.executable): \(FileAccess.reason(error))"))
        }
        return .success(ChildProcess(pid: pid))
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Waits for the child on a queue of its own.
    ///
    /// waitpid blocks its thread for the child's whole life, and waiting for any child would reap those of other code
    /// in this process.
    private func wait(_ onExit: @escaping @Sendable (Int32, Termination) -> Void) {
        let pid = pid
        DispatchQueue(label: "storebus.wait.\(pid)").async {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            onExit(pid, Termination(waitStatus: status))
        }
    }
}

/// The thread that starts every child.
///
/// It never ends, because the kernel ties a child's parent-death signal to the thread that made it and not to the
/// process: a child started from a pool's thread would be killed when the pool ends that thread.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let work = Locked<[@Sendable () -> Void]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        var thread = pthread_t()
        // Never released: the thread lives as long as the process.
        let this = Unmanaged.passRetained(self).toOpaque()
        let error = pthread_create(&thread, nil, { SpawnThread.loop($0) }, this)
        precondition(error == 0, "the system has no thread left to start processes from")
        pthread_detach(thread)
    }

    /// Runs `body` on the thread and waits for it, about a millisecond for a fork.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let outcome = Outcome<Result>()
        work.withLock { $0.append { outcome.give(body()) } }
        arrived.signal()
        return outcome.wait()
    }

    private static func loop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let this = Unmanaged<SpawnThread>.fromOpaque(context).takeUnretainedValue()
        while true {
            this.arrived.wait()
            this.work.withLock { $0.isEmpty ? nil : $0.removeFirst() }?()
        }
    }

    /// A result passed between threads.
    private final class Outcome<Result: Sendable>: Sendable {
        private let result = Locked<Result?>(nil)
        private let given = DispatchSemaphore(value: 0)

        func give(_ value: Result) {
            result.withLock { $0 = value }
            given.signal()
        }

        func wait() -> Result {
            given.wait()
            guard let value = result.withLock({ $0 }) else { preconditionFailure("signalled without a result") }
            return value
        }
    }
}

/// The end of a process.
enum Termination: Hashable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    /// The status as a shell reports it.
    var shellStatus: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        }
    }

    /// Creates it from the status of `waitpid`.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exited((waitStatus >> 8) & 0xff) : .signalled(signal)
    }

    /// Whether a restart cannot help. This is so for an error of the command line (64), a file (65), a lock (73), or
    /// the configuration (78).
    var isFinal: Bool {
        if case .exited(let code) = self { return [64, 65, 73, 78].contains(code) }
        return false
    }

    var description: String {
        switch self {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "signal \(signal)"
        }
    }
}
