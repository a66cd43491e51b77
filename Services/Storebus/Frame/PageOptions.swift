import ArgumentParser

/// How much of a list is wanted.
struct PageOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("How many at most.", valueName: "n"))
    var limit = 500

    @Option(help: ArgumentHelp("Continue behind this 'after' of the page before.", valueName: "after"))
    var after: String?

    init() {}

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit is 1 to 100000") }
    }
}
