import ArgumentParser

/// What every command that talks to a store takes.
struct GlobalOptions: ParsableArguments, Sendable {
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("The store's address. Also STOREBUS_URL.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The running store's data directory. Else .storebus here or above.", valueName: "dir"),
        completion: .directory)
    var data: String?

    @Option(help: ArgumentHelp("How long to wait: 5s, 500ms, 2m, or seconds.", valueName: "time"))
    var timeout: TimeLimit?

    @Flag(help: "Answer every question with yes.")
    var yes = false

    init() {}
}
