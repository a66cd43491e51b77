import EventLoop
import Glibc

/// Runs `docker`, whose context, host and credentials are those of the caller's shell.
struct DockerCommand: Sendable {
    /// The end of a command.
    struct Output: Hashable, Sendable {
        /// The exit status, or nil if it was killed or could not be started.
        var status: Int32?
        /// Standard output and errors.
        var text: String

        var isGood: Bool { status == 0 }

        /// The last line that is not empty, which has the reason of a failure.
        var lastLine: String {
            text.split(separator: "\n").map(String.init).last { $0.contains { !$0.isWhitespace } } ?? ""
        }
    }

    /// Runs `docker` with these arguments to its end. Tests provide their own.
    let run: @Sendable ([String]) async -> Output

    /// Finds `docker` in `PATH`.
    /// - Throws: `usage` if it is missing.
    static func find(_ environment: CommandEnvironment) throws(CLIError) -> DockerCommand {
        let directories = (environment.variables["PATH"] ?? "").split(separator: ":")
        let candidates = directories.map { "\($0)/docker" }
        guard let executable = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw CLIError(
                .usage, "--driver compose needs docker, which is not in PATH",
                hints: ["install Docker with the compose plugin", "or disturb processes: --driver process"])
        }
        let variables = environment.variables
        return DockerCommand { await execute(executable, $0, variables) }
    }

    /// Time for any command, except those that wait for a container to end.
    private static let timeout = Duration.seconds(60)

    private static func execute(_ executable: String, _ arguments: [String], _ variables: [String: String]) async
        -> Output
    {
        var template = Array("/tmp/storebus-docker-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { return Output(status: nil, text: FileAccess.systemReason) }
        close(descriptor)
        let log = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { FileAccess.remove(log) }
        let (ends, end) = AsyncStream<Termination>.makeStream()
        let child: ChildProcess
        do {
            child = try ChildProcess.start(
                ChildProcess.Launch(
                    executable: executable, arguments: arguments, environment: variables, logFile: log)
            ) { _, termination in
                end.yield(termination)
                end.finish()
            }
        } catch {
            return Output(status: nil, text: error.reason)
        }
        let killer = Task {
            try await ContinuousClock().sleep(for: timeout)
            child.send(SIGKILL)
        }
        // In a task of its own: a command that is under way is finished also when the run is broken off.
        let termination = await Task { () -> Termination? in
            for await termination in ends { return termination }
            return nil
        }.value
        killer.cancel()
        let text = FileAccess.text(log) ?? ""
        guard case .exited(let status)? = termination else { return Output(status: nil, text: text) }
        return Output(status: status, text: text)
    }
}
