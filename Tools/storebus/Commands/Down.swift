import ArgumentParser
import Glibc
import StoreModels

/// `storebus down`
struct DownCommand: InstallationCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "down", "Stop the store that runs on a data directory.",
        """
        storebus down
        storebus down --data /var/lib/storebus --timeout 20s

        Services finish their work in progress. If no store runs, the command succeeds.
        """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let environment = CommandEnvironment.current
        let directory = try DataDirectory.choose(global, environment)
        guard let pid = DirectoryLock.holder(directory) else {
            return global.output.print(
                CommandResult(
                    "no store runs on \(directory.path)\n", data: Self.data(directory, nil), next: "storebus up"))
        }
        let timeout = global.timeout?.duration ?? .seconds(30)
        let progress = Progress(environment, isQuiet: global.output.quiet)
        try await progress.during("waiting for pid \(pid) to end") { () throws(CLIError) in
            try await Self.stop(pid, directory, within: timeout)
        }
        global.output.print(
            CommandResult(
                "stopped  \(directory.path)  pid \(pid)\n", data: Self.data(directory, pid), names: ["\(pid)"],
                next: "storebus up"))
    }

    private static func data(_ directory: DataDirectory, _ pid: Int32?) -> JSONValue {
        ["dataDirectory": .string(directory.path), "pid": pid.map { .integer($0) } ?? .null]
    }

    /// Terminates the process and waits until it has released the directory.
    private static func stop(_ pid: Int32, _ directory: DataDirectory, within timeout: Duration) async throws(CLIError)
    {
        guard kill(pid, SIGTERM) == 0 || errno == ESRCH else {
            throw CLIError(
                CLIErrorCode(.forbidden), "cannot stop pid \(pid): \(FileAccess.systemReason)",
                hints: ["it belongs to another user"])
        }
        let deadline = ContinuousClock.now + timeout
        while DirectoryLock.holder(directory) == pid {
            guard ContinuousClock.now < deadline else {
                throw CLIError(
                    .notInTime, "pid \(pid) still runs after \(Format.delay(timeout))",
                    hints: ["logs: \(directory.logDirectory)", "end it: kill -9 \(pid)"])
            }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }
}

extension DataDirectory {
    /// Finds the directory of a command about processes: `--data`, or that of a running store here or above, or
    /// `.storebus` here.
    static func choose(_ options: GlobalOptions, _ environment: CommandEnvironment) throws(CLIError) -> DataDirectory {
        if options.url != nil {
            throw CLIError(
                .usage, "a store elsewhere cannot be reached this way", hints: ["name its directory: --data DIR"])
        }
        return options.data.map { DataDirectory($0, currentDirectory: environment.currentDirectory) }
            ?? RunRecord.search(from: environment.currentDirectory)
            ?? DataDirectory(DataDirectory.defaultName, currentDirectory: environment.currentDirectory)
    }
}
