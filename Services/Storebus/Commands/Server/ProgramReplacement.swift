import Glibc

/// Another program in the place of this one, with the store's variables in its environment.
struct ProgramReplacement {
    private let command: [String]
    private let variables: [String: String]

    init(_ command: [String], _ store: StoreVariables, _ environment: CommandEnvironment) {
        self.command = command
        variables = store.values.reduce(into: environment.variables) { $0[$1.name] = $1.value }
    }

    /// - Returns: why it could not be done; otherwise this never returns.
    func run() -> CLIError {
        // An ignored signal stays ignored in the other program, which does not expect that.
        signal(SIGPIPE, SIG_DFL)
        for (name, value) in variables { setenv(name, value, 1) }
        var arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        execvp(command[0], &arguments)
        let reason = FileAccess.systemReason
        signal(SIGPIPE, SIG_IGN)
        return CLIError(
            .commandFailed, "cannot run \(command[0]): \(reason)", hints: ["check the name and PATH"])
    }
}
