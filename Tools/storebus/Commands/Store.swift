import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus store …`
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "store", "Isolated stores: each with its own clock, catalogue and customers.",
        """
        storebus store create --clock 2026-01-01T00:00:00Z --ttl 10m --seed 42
        storebus store run -- npm test
        storebus store snapshot t-7 subscribed
        storebus store fork subscribed
        storebus store list
        storebus store delete t-7 --yes

        Use one store for each test that runs in parallel. A store begins with an app's catalogue and no \
        customers, and its clock moves only when you call. Stores with equal seeds show equal identifiers. Every \
        other command works in the store that --store or STOREBUS_STORE names.
        """, subcommands: [Create.self, Run.self, Fork.self, Snapshot.self, List.self, Delete.self])

    /// `storebus store create`
    struct Create: OneAppCommand, InstallationCommand {
        static let configuration = CommandConfiguration(
            "create", "Make a store. Its private key is shown only once.",
            """
            storebus store create
            eval "$(storebus store create --env)"
            storebus store create --ttl 10m --seed 42 -o json

            With --env, prints what storebus env prints for the new store, and its private key. The shell that \
            evaluates it works in the store, and so do the programs that it runs.
            """)

        @OptionGroup var new: NewStoreOptions
        @Flag(name: .customLong("env"), help: "Only print its variables, for a shell.") var printsVariables = false
        @OptionGroup var customer: ProgramOptions
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func context() async throws(CLIError) -> CommandContext { try await installation() }

        func run(_ context: CommandContext) async throws {
            let made = try await new.make(context)
            guard printsVariables else {
                return context.printStore(made, next: "storebus product list --store \(made.store)")
            }
            let store = context.at(made.store, origin: "store create")
            let variables = StoreVariables(store.settings, customer.installation(store), made: made.value)
            store.print(variables.text(.shell), data: variables.json, names: variables.names)
        }
    }

    /// `storebus store fork`
    struct Fork: ContextCommand, InstallationCommand {
        static let configuration = CommandConfiguration(
            "fork", "Make a store with everything that a store or snapshot has.",
            """
            storebus store fork subscribed
            storebus store fork t-7 --ttl 10m
            storebus store fork subscribed -o json

            The new store has the same catalogue, customers, purchases, devices and notifications, the same seed and \
            the same time. Its clock is frozen. Its keys are its own, and its private key is shown only once.
            """, aliases: ["restore"])

        @Argument("The store or snapshot.", "store", Completion.storesAndSnapshots) var source: String
        @Flag(help: "Let its clock run.") var running = false
        @Option("How long the store lasts, at most 7d. Default: 1h.", "time") var ttl: String?
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let made = try await context.ofStore(source) { () throws(CLIError) in
                try await context.installation.api.received(
                    IsolatedStoreRoutes.fork, [.store: source],
                    body: ForkedStore(running: running ? true : nil, ttl: ttl))
            }
            context.printStore(made, next: "storebus tx list --store \(made.store)")
        }
    }

    /// `storebus store snapshot`
    struct Snapshot: ContextCommand, InstallationCommand {
        static let configuration = CommandConfiguration(
            "snapshot", "Keep a store as it is now, for any number of forks.",
            """
            storebus store snapshot t-7 subscribed
            storebus store snapshot t-7 nightly --ttl 20d

            No request reaches a snapshot, and nothing happens in it. storebus store list has it, and storebus store \
            delete deletes it by its name.
            """)

        @Argument("The store.", "store", Completion.stores) var source: String
        @Argument("The snapshot's name.", "name") var name: String
        @Option("How long the snapshot lasts, at most 28d. Default: 7d.", "time") var ttl: String?
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let made = try await context.ofStore(source) { () throws(CLIError) in
                try await context.installation.api.received(
                    IsolatedStoreRoutes.snapshot, [.store: source], body: NewSnapshot(name: name, ttl: ttl))
            }
            context.print(
                "snapshot  \(name), until \(Format.time(made.expiresAt))\n", data: made.json,
                names: [name], next: "storebus store fork \(name)")
        }
    }

    /// `storebus store list`
    struct List: ContextCommand, InstallationCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "list", "List the stores and snapshots, oldest first.",
            """
            storebus store list
            storebus store list -o names

            With -o names, prints open stores only: a snapshot, and a store that is being removed, take no commands.
            """, aliases: ["ls"])

        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let stores = try await context.installation.api.all(IsolatedStoreRoutes.list)
            context.print(
                CommandResult(
                    Table(["STORE", "APP", "STATE", "SEED", "UNTIL"], stores) {
                        [
                            $0.snapshot ?? $0.store, $0.bundleId, $0.state.rawValue, "\($0.seed)",
                            Format.time($0.expiresAt),
                        ]
                    }, items: stores.map { JSONText.value($0) }, names: stores.open.map(\.store),
                    next: stores.open.first.map { "storebus tx list --store \($0.store)" } ?? "storebus store create",
                    ifEmpty: "no isolated stores"))
        }
    }

    /// `storebus store delete`
    struct Delete: ContextCommand, InstallationCommand {
        static let configuration = CommandConfiguration(
            "delete", "Close stores at once and delete their data, or snapshots.", "storebus store delete t-7 --yes",
            aliases: ["rm"])

        @Argument("The stores or snapshots.", "store", Completion.storesAndSnapshots) var stores: [String]
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let names = stores.joined(separator: ", ")
            try context.confirm("delete the store\(stores.count == 1 ? "" : "s") \(names)")
            for store in stores { try await context.removeStore(store) }
            context.print(
                "deleted  \(names)\n", data: .array(stores.map { ["store": .string($0)] }), names: stores,
                next: "storebus store list")
        }
    }
}

/// The options of a new isolated store.
struct NewStoreOptions: ParsableArguments, Sendable {
    @Option("The store's catalogue, in place of the app's.", "file", .file(extensions: ["storekit", "json"]))
    var catalogue: String?
    @Option("The clock's first time. Default: now.", "instant") var clock: String?
    @Option("How long the store lasts, at most 7d. Default: 1h.", "time") var ttl: String?
    @Option("The beginning of the identifiers. Default: random.", "number") var seed: Int64?

    func validate() throws {
        guard clock == nil || clock.flatMap(Timestamp.init) != nil else {
            throw ValidationError("--clock must be an instant such as 2026-01-01T00:00:00Z")
        }
    }

    /// Makes a store. A refused catalogue leaves none.
    /// - Parameter context: The installation's, with the app to copy.
    func make(_ context: CommandContext) async throws(CLIError) -> Received<IsolatedStoreResponse> {
        guard let catalogue else {
            return try await context.api.received(
                IsolatedStoreRoutes.create,
                body: NewIsolatedStore(
                    from: .init(bundleId: context.bundleId), clock: clock.flatMap(Timestamp.init), ttl: ttl, seed: seed)
            )
        }
        do throws(CLIError) {
            return try await CatalogFile.makeStore(try CatalogFile.read(catalogue), file: catalogue, self, context)
        } catch {
            throw error.is(.catalogInvalid)
                ? error.with(hints: ["no store was made; correct the file, or leave --catalogue out"]) : error
        }
    }
}

extension OneAppCommand {
    /// Finds the installation and the app, also when an isolated store is named.
    func installation() async throws(CLIError) -> CommandContext {
        try await CommandContext.find(options, bundleId: app.bundleId).installation.withOnlyApp()
    }
}

extension CommandContext {
    /// Prints a new store.
    func printStore(_ made: Received<IsolatedStoreResponse>, next: Advice) {
        let lines = [
            "store   \(made.store)", "url     \(made.url)", "bundle  \(made.bundleId)", "issuer  \(made.issuerId)",
            "key     \(made.keyId)", "seed    \(made.seed)", "until   \(Format.time(made.expiresAt))",
            "privateKey\n\(made.privateKey)",
        ]
        print(
            lines.joined(separator: "\n") + "\n", data: made.json, names: [made.store], next: next,
            notes: [
                "the private key is not shown again", "its variables: storebus env --store \(made.store)",
                "its console: storebus open --store \(made.store)",
            ])
    }

    /// Calls a route about a store or snapshot.
    func ofStore<Answer>(
        _ store: String, _ call: () async throws(CLIError) -> Answer
    ) async throws(CLIError) -> Answer {
        try await DidYouMean.replacing(.notFound, call) { failure in
            failure.with(
                message: "there is no isolated store '\(store)'", hints: ["those that exist: storebus store list"])
        }
    }

    /// Closes an isolated store and forgets its sessions, or closes a snapshot.
    func removeStore(_ store: String) async throws(CLIError) {
        try await ofStore(store) { () throws(CLIError) in
            try await installation.api.call(IsolatedStoreRoutes.delete, [.store: store])
        }
        if let directory, IsolatedApp.number(ofStore: store) != nil {
            FileAccess.removeTree(directory.sessions(of: store))
        }
    }
}
