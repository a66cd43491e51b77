import ArgumentParser

/// What every command that talks to a store takes.
package struct GlobalOptions: ParsableArguments, Sendable {
    @Option(name: [.short, .long], help: "Print 'human' tables or one 'json' document.")
    package var output = OutputFormat.human

    @Option(help: ArgumentHelp("The store's address. Also STOREBUS_URL.", valueName: "url"))
    package var url: String?

    @Option(help: ArgumentHelp("The running store's data directory. Else .storebus here or above.", valueName: "dir"))
    package var data: String?

    package init() {}
}
