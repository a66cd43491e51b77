import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus store …`
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Isolated stores: each with its own clock, catalogue and customers.",
        discussion: """
            storebus store create --clock 2026-01-01T00:00:00Z --ttl 10m --seed 42
            storebus store list
            storebus store delete t-7

            Use one store for each test that runs in parallel. A store begins with an app's catalogue and no \
            customers, and its clock moves only when you call. Stores with equal seeds show equal identifiers.
            """,
        subcommands: [Create.self, List.self, Delete.self])

    /// `storebus store create`
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a store. Its private key is shown only once.",
            discussion: """
                storebus store create
                storebus store create --ttl 10m --seed 42 -o json
                """)

        @Option(help: ArgumentHelp("The clock's first time. Default: now.", valueName: "instant"))
        var clock: String?

        @Option(help: ArgumentHelp("How long the store lasts, at most 7d. Default: 1h.", valueName: "time"))
        var ttl: String?

        @Option(help: ArgumentHelp("The beginning of the identifiers. Default: random.", valueName: "number"))
        var seed: Int64?

        @OptionGroup var options: AppCommandOptions

        func validate() throws {
            guard clock == nil || clock.flatMap(Timestamp.init) != nil else {
                throw ValidationError("--clock must be an instant such as 2026-01-01T00:00:00Z")
            }
        }

        func run() async throws {
            let context = try await options.context()
            let made = try await context.api.received(
                IsolatedStoreRoutes.create,
                body: NewIsolatedStore(
                    from: .init(bundleId: context.bundleId), clock: clock.flatMap(Timestamp.init), ttl: ttl, seed: seed)
            )
            let lines = [
                "store   \(made.store)", "url     \(made.url)", "bundle  \(made.bundleId)", "issuer  \(made.issuerId)",
                "key     \(made.keyId)", "seed    \(made.seed)", "until   \(Format.time(made.expiresAt))",
                "privateKey\n\(made.privateKey)",
            ]
            context.print(
                lines.joined(separator: "\n") + "\n", data: made.json, names: [made.store],
                next: "storebus store delete \(made.store)", notes: ["the private key is not shown again"])
        }
    }

    /// `storebus store list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the stores, oldest first.", discussion: "storebus store list",
            aliases: ["ls"])

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            let stores = try await context.api.all(IsolatedStoreRoutes.list)
            let table = Table(["STORE", "APP", "STATE", "SEED", "UNTIL"], stores) { store in
                [
                    store.store, store.bundleId, store.state.rawValue, "\(store.seed)", Format.time(store.expiresAt),
                ]
            }
            context.print(
                table, items: stores.map { JSONText.value($0) }, names: stores.map(\.store),
                next: "storebus store create", ifEmpty: "no isolated stores")
        }
    }

    /// `storebus store delete`
    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Close a store at once and delete its data.",
            discussion: "storebus store delete t-7 --yes", aliases: ["rm"])

        @Argument(help: ArgumentHelp("The store.", valueName: "store"))
        var store: String

        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try CommandContext.find(global)
            try context.confirm("delete the store \(store)")
            try await context.api.call(IsolatedStoreRoutes.delete, [.store: store])
            context.print(
                "deleted  \(store)\n", data: ["store": .string(store)], names: [store],
                next: "storebus store list")
        }
    }
}
