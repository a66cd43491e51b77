import CProcess
import Dispatch
import Glibc

/// One service's process: a child that the kernel kills when `storebus up` ends in whatever way, in a process group of
/// its own, so that a Ctrl-C at the terminal reaches `up` only, which then stops the services in order.
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

    /// The system would not start the program.
    struct Failure: Error, Hashable, Sendable {
        var reason: String
    }

    let pid: Int32

    /// Runs the program, from the ``SpawnThread``.
    ///
    /// - Parameter onExit: called once, on a thread of its own, when the process has ended and was reaped.
    static func start(
        _ launch: Launch, onExit: @escaping @Sendable (Int32, Termination) -> Void
    ) throws(Failure) -> ChildProcess {
        let child = try SpawnThread.shared.run { fork(launch) }.get()
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

    /// A queue of its own per child, because waitpid blocks its thread for the child's whole life, and waiting for any
    /// child would take those of other code in this process.
    private func wait(_ onExit: @escaping @Sendable (Int32, Termination) -> Void) {
        let pid = pid
        DispatchQueue(label: "storebus.wait.\(pid)").async {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            onExit(pid, Termination(waitStatus: status))
        }
    }
}
