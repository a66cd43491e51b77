import ArgumentParser
import StoreModels

/// `storebus watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "See what happens, live.",
        discussion: """
            storebus watch
            storebus watch type=purchased product~pro.
            storebus watch --as alice
            storebus tx watch product~pro.

            Without --as, what happens to everybody's transactions from now on, seen from outside. With it, what the \
            transaction observer of that account's app is told: every unfinished transaction, then what changes; being \
            told counts as a delivery. Until Ctrl-C; a lost connection is made again. With -o jsonl one event a line.
            """)

    @Argument(help: ArgumentHelp("Which events, such as type=purchased account=alice.", valueName: "filter"))
    var filter: [String] = []

    @Option(
        name: .customLong("as"), help: ArgumentHelp("Be this account's app.", valueName: "account"),
        completion: Completion.accounts)
    var account: String?

    @Option(help: ArgumentHelp("With --as: the device. Default: <account>-1.", valueName: "device"))
    var device: String?

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if account != nil, !filter.isEmpty { throw ValidationError("a filter and --as exclude each other") }
        if account == nil, device != nil { throw ValidationError("--device needs --as") }
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        guard let account else {
            var filter = try Filter(filter, bare: "type")
            try filter.add("bundleId", app.bundleId)
            return try await EventWatch(context: context, filter: filter).run()
        }
        let installation = Installation(bundleId: context.bundleId, account: account, deviceId: device)
        try await Observer(installation: installation, context: context).run()
    }
}
