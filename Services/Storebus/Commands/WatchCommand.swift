import ArgumentParser
import StoreModels

/// `storebus watch --as alice`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "See what an app's transaction observer is told, live.",
        discussion: """
            storebus watch --as alice

            Shows every unfinished transaction, then what changes, until Ctrl-C. A lost connection is made again. With \
            -o json one event a line, as the stream sends it.
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        try await Observer(installation: account.installation(), context: context).run()
    }
}
