import ArgumentParser
import StoreModels

/// `storebus up`
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start a store: every service as a process of its own.",
        discussion: """
            storebus up
            storebus up --detach
            storebus up --import App.storekit --bundle-id com.example.app
            storebus up --import A.storekit --bundle-id com.example.a --import B.storekit --bundle-id com.example.b
            storebus up --replicas eligibility=3
            storebus up --time-rate 30s=1mo
            storebus up --open-app ./MyApp
            storebus up --bus-url nats://a.example,b.example,c.example
            storebus up --database-url postgres://storebus@localhost/storebus --replicas payment-queue=2

            Starts, supervises and restarts the services until Ctrl-C. A data directory without a catalogue is given the \
            sample one. Each file is a whole catalogue, so each needs an app of its own. STOREBUS_ADMIN_KEY takes the \
            place of the admin key that is made up and kept in the data directory. With --detach the store goes on by \
            itself once it is ready; storebus down stops it. --time-rate sets the clock of each app it imports, or of the \
            sample's: storebus time rate. --open-app starts an app that does not run when a purchase begins in the store: \
            storebus device open-app; what it prints is in logs/open-app.1.log.

            Services keep what they know in SQLite files of the data directory, or in a PostgreSQL: --database-url, else \
            DATABASE_URL, a schema each. Its password is never an argument: it is in the file that \
            DATABASE_PASSWORD_FILE names, in PGPASSFILE, or in DATABASE_URL. --replicas starts several processes of a \
            service, which share the work; those that store need the PostgreSQL. They are called payment-queue and \
            payment-queue#2 here and in status and logs; a gateway's replicas listen on free ports.

            With --bus-url, else BUS_URL, the services join that bus, a NATS cluster or another machine's broker, and no \
            broker is started. Its token or password is never an argument: it is in the file that BUS_CREDENTIALS_FILE \
            names, or in BUS_URL.
            """)

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp("Import this catalogue and make it the current one. Repeatable.", valueName: "file"),
        completion: .file(extensions: ["storekit", "json"]))
    var imports: [String] = []

    @Option(help: ArgumentHelp("The app of the --import with the same place in the line.", valueName: "id"))
    var bundleId: [String] = []

    @Option(help: ArgumentHelp("Keep the store's data here.", valueName: "dir"), completion: .directory)
    var data = DataDirectory.defaultName

    @Option(help: ArgumentHelp("The gateway's port, or auto.", valueName: "n|auto"))
    var port = PortChoice.fixed(7430)

    @Option(help: ArgumentHelp("The bus's port, or auto; its monitoring is on the next one.", valueName: "n|auto"))
    var busPort = PortChoice.fixed(7420)

    @Option(help: ArgumentHelp("Join this bus instead of starting one. Also BUS_URL.", valueName: "url"))
    var busUrl: String?

    @Option(
        help: ArgumentHelp("The address the gateway listens on; the bus stays on this machine.", valueName: "address"))
    var bind = "127.0.0.1"

    @Option(
        help: ArgumentHelp("The PostgreSQL the services store in. Also DATABASE_URL.", valueName: "url"))
    var databaseUrl: String?

    @Option(
        help: ArgumentHelp(
            "Number of processes of a service, 1 to \(Replicas.max). Repeatable.", valueName: "service=n"),
        completion: .list(ServiceName.allCases.map { "\($0.rawValue)=" }))
    var replicas: [String] = []

    @Option(
        help: ArgumentHelp("How fast the apps' clocks run, as in storebus time rate.", valueName: "rate"),
        completion: .list(RateText.words))
    var timeRate: String?

    @Option(
        help: ArgumentHelp("Run this when the store opens an app that does not run.", valueName: "command"))
    var openApp: String?

    @Flag(help: "Return when the store is ready, and let it run on.")
    var detach = false

    /// Set by `up --detach` for the process it leaves behind.
    @Flag(help: .hidden)
    var detached = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if output.format == .names || output.format == .jsonl { throw ValidationError("up prints human or json") }
        try RateText.validate("--time-rate", timeRate)
    }

    func run() async throws {
        let start = ContinuousClock.now
        let environment = CommandEnvironment.current
        let plan = try UpPlan.make(
            imports: imports, bundleIds: bundleId, data: data, port: port, busPort: busPort, bind: bind,
            replicas: replicas, databaseURL: databaseUrl, busURL: busUrl, timeRate: timeRate.flatMap(RateText.rate),
            openApp: openApp)
        if detach {
            let detached = DetachedStart(
                directory: plan.settings.directory, arguments: arguments, isQuiet: output.quiet)
            return try await detached.run(environment)
        }
        let progress = Progress(environment, isQuiet: output.quiet || output.format.isJSON)
        let run = await UpRun(
            plan: plan, output: output.format, start: start, console: environment.console, progress: progress,
            isDetached: detached)
        let status = try await run.run()
        if status != .success { throw QuietExit(status: status) }
    }

    /// This command line for the process that stays.
    private var arguments: [String] {
        var arguments = ["up", "--detached", "--data", data, "--port", "\(port)", "--bus-port", "\(busPort)"]
        arguments += ["--bind", bind, "--output", output.format.rawValue]
        for file in imports { arguments += ["--import", file] }
        for name in bundleId { arguments += ["--bundle-id", name] }
        if let busUrl { arguments += ["--bus-url", busUrl] }
        if let databaseUrl { arguments += ["--database-url", databaseUrl] }
        if let timeRate { arguments += ["--time-rate", timeRate] }
        if let openApp { arguments += ["--open-app", openApp] }
        for word in replicas { arguments += ["--replicas", word] }
        return arguments
    }
}
