import ArgumentParser
import Glibc
import StoreModels

/// `storebus mcp`
struct MCPCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "mcp", "Offer the commands to agents, over the Model Context Protocol.",
        """
        storebus mcp
        storebus mcp --write
        storebus mcp --store t-7 --write --only buy,sub,time

        An agent's program starts this command and speaks with it on standard input and output. Each tool is a \
        command, tx_list for storebus tx list, with its options as members. Without --write there are only those \
        that change nothing. The command ends with its input.
        """)

    @Flag(help: "Offer the commands that change the store, too.") var write = false
    @Option("Only these commands and groups, separated by commas.", "words", .list(Self.words)) var only: String?
    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    /// The first words of the tools.
    private static let words = CommandTree.root.children.map(\.name)

    func run() async throws {
        let tools = try tools()
        let environment = CommandEnvironment.current
        let fixed = [
            "url": global.url, "data": global.data, "store": global.store, "bundle-id": app.bundleId,
            "timeout": global.timeout?.description,
        ].compactMapValues(\.self)
        if environment.terminal.isInput, !global.quiet {
            environment.console.narrate("note: this waits for JSON-RPC on standard input; Ctrl-D ends it\n")
        }
        let server = MCPServer(tools: tools, canWrite: write, fixed: fixed) { words in
            let outcome = await CommandCall.run(words, in: environment)
            let texts = outcome.isSuccess ? [outcome.result] : [outcome.result, outcome.narration]
            return MCPServer.Outcome(texts: texts.filter { !$0.isEmpty }, isError: !outcome.isSuccess)
        } send: {
            environment.console.result(JSONText.line($0) + "\n")
        }
        let lines = InputLine.stream(of: Self.takeInput())
        _ = await environment.untilStopped { () async throws(CLIError) in await server.serve(lines) }
    }

    /// Takes the protocol's input away from the commands, which may read standard input.
    private static func takeInput() -> Int32 {
        let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, STDIN_FILENO)
        close(nothing)
        return input
    }

    /// - Throws: `usage` for a word with which no tool begins.
    private func tools() throws(CLIError) -> [CommandTool] {
        guard let only else { return CommandTool.all }
        let wanted = only.split(separator: ",").map(String.init)
        for word in wanted where !CommandTool.all.contains(where: { $0.path[0] == word }) {
            let known = Set(CommandTool.all.map { $0.path[0] }).sorted()
            throw CLIError(
                .usage, "--only: no tool begins with '\(word)'",
                hints: Suggestion.hints(for: word, among: known) + [
                    "they begin with: \(known.joined(separator: ", "))"
                ])
        }
        return CommandTool.all.filter { wanted.contains($0.path[0]) }
    }
}
