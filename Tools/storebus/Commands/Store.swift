import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus store …`
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "store", "Isolated stores: each with its own clock, catalogue and customers.",
        """
        storebus store create --clock 2026-01-01T00:00:00Z --ttl 10m --seed 42
        storebus store list
        storebus store delete t-7

        Use one store for each test that runs in parallel. A store begins with an app's catalogue and no \
        customers, and its clock moves only when you call. Stores with equal seeds show equal identifiers.
        """, subcommands: [Create.self, List.self, Delete.self])

    /// `storebus store create`
    struct Create: ContextCommand {
        static let configuration = CommandConfiguration(
            "create", "Make a store. Its private key is shown only once.",
            """
            storebus store create
            storebus store create --ttl 10m --seed 42 -o json
            """)

        @Option("The clock's first time. Default: now.", "instant") var clock: String?
        @Option("How long the store lasts, at most 7d. Default: 1h.", "time") var ttl: String?
        @Option("The beginning of the identifiers. Default: random.", "number") var seed: Int64?
        @OptionGroup var options: AppCommandOptions

        func validate() throws {
            guard clock == nil || clock.flatMap(Timestamp.init) != nil else {
                throw ValidationError("--clock must be an instant such as 2026-01-01T00:00:00Z")
            }
        }

        func run(_ context: CommandContext) async throws {
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
    struct List: ContextCommand {
        static let configuration = CommandConfiguration(
            "list", "List the stores, oldest first.", "storebus store list", aliases: ["ls"])

        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let stores = try await context.api.all(IsolatedStoreRoutes.list)
            context.print(
                CommandResult(
                    stores, ["STORE", "APP", "STATE", "SEED", "UNTIL"], named: \.store, next: "storebus store create",
                    ifEmpty: "no isolated stores"
                ) { [$0.store, $0.bundleId, $0.state.rawValue, "\($0.seed)", Format.time($0.expiresAt)] })
        }
    }

    /// `storebus store delete`
    struct Delete: ContextCommand {
        static let configuration = CommandConfiguration(
            "delete", "Close a store at once and delete its data.", "storebus store delete t-7 --yes", aliases: ["rm"])

        @Argument("The store.", "store") var store: String
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try context.confirm("delete the store \(store)")
            try await context.api.call(IsolatedStoreRoutes.delete, [.store: store])
            context.print(
                "deleted  \(store)\n", data: ["store": .string(store)], names: [store],
                next: "storebus store list")
        }
    }
}
