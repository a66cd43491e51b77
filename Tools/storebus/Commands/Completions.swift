import ArgumentParser
import StoreModels

/// `storebus completions`
struct CompletionsCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "completions", "Print or install a shell's completions.",
        """
        storebus completions zsh --install
        source <(storebus completions bash)

        Completes products, accounts, transactions and storefronts from the running store.
        """)

    /// A shell, with the place and text of its completion script.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var script: String {
            let shell: CompletionShell =
                switch self {
                case .bash: .bash
                case .zsh: .zsh
                case .fish: .fish
                }
            return StorebusCommand.completionScript(for: shell)
        }

        /// - Parameter variables: `HOME` must be among them.
        func path(_ variables: [String: String]) -> String? {
            guard let home = variables["HOME"] else { return nil }
            return switch self {
            case .bash:
                "\(variables["XDG_DATA_HOME"] ?? "\(home)/.local/share")/bash-completion/completions/storebus"
            case .zsh: "\(variables["ZDOTDIR"] ?? home)/.zfunc/_storebus"
            case .fish: "\(variables["XDG_CONFIG_HOME"] ?? "\(home)/.config")/fish/completions/storebus.fish"
            }
        }

        var afterwards: Advice? {
            switch self {
            case .bash: "a new shell has them, if the package bash-completion is there"
            case .zsh: "~/.zshrc needs, before compinit: fpath+=(${ZDOTDIR:-~}/.zfunc)"
            case .fish: nil
            }
        }
    }

    @Argument("bash, zsh or fish.", "shell") var shell: Shell
    @Flag(help: "Write it where the shell looks.") var install = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let script = shell.script
        guard install else {
            return output.print(
                CommandResult(script, data: ["shell": .string(shell.rawValue), "script": .string(script)]))
        }
        guard let path = shell.path(CommandEnvironment.current.variables) else {
            throw CLIError(.usage, "HOME is not set", hints: ["storebus completions \(shell.rawValue) > FILE"])
        }
        try FileAccess.makeDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        try FileAccess.write(Array(script.utf8), to: path, mode: 0o644)
        output.print(
            CommandResult(
                "installed  \(path)\n", data: ["shell": .string(shell.rawValue), "path": .string(path)],
                names: [path], notes: shell.afterwards.map { [$0] } ?? []))
    }
}
