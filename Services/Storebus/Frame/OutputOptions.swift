import ArgumentParser

/// How a command speaks; every command takes these.
struct OutputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "human tables, one json document, jsonl with one item a line, or names only.", valueName: "format"))
    var format = OutputFormat.human

    @Flag(name: .shortAndLong, help: "Say nothing but results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Show each request to the store; twice, the cause of a fault too.")
    var verbose: Int

    @Option(help: ArgumentHelp("Colours: auto, always or never. Also NO_COLOR, CLICOLOR_FORCE.", valueName: "when"))
    var color = ColorChoice.auto

    init() {}
}
