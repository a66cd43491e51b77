import ArgumentParser
import FoundationEssentials
import Glibc
import StoreModels

/// `storebus up`
struct UpCommand: AsyncParsableCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "up", "Start a store: every service as a process of its own.",
        """
        storebus up
        storebus up --detach
        storebus up --import App.storekit --bundle-id com.example.app
        storebus up --import A.storekit --bundle-id com.example.a --import B.storekit --bundle-id com.example.b
        storebus up --init Catalogues
        storebus up --replicas eligibility=3
        storebus up --time-rate 30s=1mo
        storebus up --open-app ./MyApp
        storebus up --bus-url nats://a.example,b.example,c.example
        storebus up --database-url postgres://storebus@localhost/storebus --replicas payment-queue=2

        Starts, supervises and restarts the services until Ctrl-C. A data directory without a catalogue gets the \
        sample one. Each file is a whole catalogue, so each needs an app of its own. STOREBUS_ADMIN_KEY replaces \
        the admin key that the store makes and keeps in the data directory. With --detach the command returns \
        when the store is ready, and storebus down stops the store. --time-rate sets the clock of each app it \
        imports, or of the sample's: storebus time rate. --open-app starts an app that does not run when a \
        purchase begins in the store (storebus device open-app), and writes its output to logs/open-app.1.log.

        Services store their data in SQLite files of the data directory, or in a PostgreSQL, a schema each: \
        --database-url, else DATABASE_URL. Never pass its password as an argument: put it into the file that \
        DATABASE_PASSWORD_FILE names, into PGPASSFILE, or into DATABASE_URL. --replicas starts several processes \
        of a service, which share the work. Services that store need the PostgreSQL for it. The replicas are \
        called payment-queue and payment-queue#2 here and in status and logs. A gateway's replicas listen on free \
        ports.

        --init imports the catalogues of a directory at each start, in the order of their names. A name is its \
        app's, with or without a number before it, as 10-com.example.a.storekit. A name without a dot is \
        com.example.app's. JSON that is no catalogue is skipped. A refused file does not end the store: /readyz \
        answers 503 with the reason.

        With --bus-url, else BUS_URL, the services join that bus, a NATS cluster or another machine's broker, and \
        no broker is started. Never pass its token or password as an argument: put it into the file that \
        BUS_CREDENTIALS_FILE names, or into BUS_URL.
        """)

    @Option(
        "Import this catalogue and make it the current one. Repeatable.", "file",
        .file(extensions: ["storekit", "json"]), name: .customLong("import"))
    var imports: [String] = []
    @Option("The app of the --import with the same place in the line.", "id") var bundleId: [String] = []
    @Option("Import the catalogues of this directory. /readyz has the outcome.", "dir", .directory)
    var `init`: String?
    @Option("Keep the store's data here.", "dir", .directory) var data = DataDirectory.defaultName
    @Option("The gateway's port, or auto.", "n|auto") var port = PortChoice.fixed(7430)
    @Option("The bus's port, or auto. Its monitoring uses the next port.", "n|auto")
    var busPort = PortChoice.fixed(7420)
    @Option(
        "The gateway's port for HTTPS with Apple's host names, 443 for their sake; none without it. Also "
            + "STOREBUS_HTTPS_PORT.", "n")
    var httpsPort: Int?
    @Option("Join this bus instead of starting one. Also BUS_URL.", "url") var busUrl: String?
    @Option("The address the gateway listens on. The bus stays on this machine.", "address") var bind = "127.0.0.1"
    @Option("The PostgreSQL the services store in. Also DATABASE_URL.", "url") var databaseUrl: String?
    @Option(
        "Number of processes of a service, 1 to \(Replicas.max). Repeatable.", "service=n",
        .list(ServiceName.allCases.map { "\($0.rawValue)=" }))
    var replicas: [String] = []
    @Option("How fast the apps' clocks run, as in storebus time rate.", "rate", .list(RateText.words))
    var timeRate: String?
    @Option("Run this when the store opens an app that does not run.", "command") var openApp: String?
    @Flag(help: "Return when the store is ready, and let it run on.") var detach = false

    /// Set by `up --detach` for the process it leaves behind.
    @Flag(help: .hidden) var detached = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try output.checkIsOneDocument("up")
        try RateText.validate("--time-rate", timeRate)
        guard httpsPort.map((1...65535).contains) ?? true else { throw ValidationError("--https-port is 1 to 65535") }
    }

    func run() async throws {
        let start = ContinuousClock.now
        let environment = CommandEnvironment.current
        let plan = try UpPlan.make(self)
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

    /// The arguments of the detached process.
    private var arguments: [String] {
        var arguments = ["up", "--detached", "--data", data, "--port", "\(port)", "--bus-port", "\(busPort)"]
        arguments += ["--bind", bind, "--output", output.format.rawValue]
        for file in imports { arguments += ["--import", file] }
        for name in bundleId { arguments += ["--bundle-id", name] }
        if let initDirectory = `init` { arguments += ["--init", initDirectory] }
        if let httpsPort { arguments += ["--https-port", "\(httpsPort)"] }
        if let busUrl { arguments += ["--bus-url", busUrl] }
        if let databaseUrl { arguments += ["--database-url", databaseUrl] }
        if let timeRate { arguments += ["--time-rate", timeRate] }
        if let openApp { arguments += ["--open-app", openApp] }
        for word in replicas { arguments += ["--replicas", word] }
        return arguments
    }
}

/// The checked request of `up`, made before anything is started or written.
struct UpPlan: Sendable {
    /// A catalogue to import.
    struct Import: Hashable, Sendable {
        var file: String
        var bundleId: String
        var bytes: [UInt8]
    }

    var settings: ServiceList.Settings
    var imports: [Import]
    /// Catalogues whose refusal does not end the store.
    var initDirectory: InitDirectory?
    var serviceList: ServiceList
    /// The admin key from the environment, or nil for a generated one.
    var adminKey: String?
    /// Rate of the apps' clocks. Nil keeps them.
    var timeRate: ClockRate?
    /// Command to run when the store opens an app that is not running.
    var openApp: String?
    /// Where traces go. Nil keeps them in the processes.
    var collector: OTLPSettings?

    /// - Throws: `usage` for files and apps that do not match, errors of a file, `databaseUnusable`,
    ///   `replicasNeedDatabase`, `executableMissing`.
    static func make(
        _ command: UpCommand, environment: [String: String] = ProcessInfo.processInfo.environment,
        executableDirectory: String = Self.ownDirectory
    ) throws(CLIError) -> UpPlan {
        var environment = environment
        // An empty variable is how shells and CI systems unset one.
        if environment["STOREBUS_ADMIN_KEY"] == "" { environment["STOREBUS_ADMIN_KEY"] = nil }
        let initDirectory = try command.`init`.map(InitDirectory.init)
        let hasInitFiles = initDirectory?.files.isEmpty == false
        let settings = ServiceList.Settings(
            directory: DataDirectory(command.data), host: command.bind, port: command.port, busPort: command.busPort,
            httpsPort: command.httpsPort ?? Self.httpsPort(environment),
            wantsSample: command.imports.isEmpty && initDirectory?.hasCatalogue != true, hasInitFiles: hasInitFiles,
            replicas: try Replicas(command.replicas),
            database: try DatabaseAddress.find(flag: command.databaseUrl, environment),
            bus: try ExternalBus.find(flag: command.busUrl, environment))
        try settings.replicas.check(database: settings.database)
        if settings.bus == nil, case .fixed(let number) = settings.port,
            [settings.busPort, settings.busMonitorPort].contains(.fixed(number))
        {
            throw CLIError(
                .usage, "--port \(number) is also the bus's or its monitoring", hints: ["choose another: --port auto"])
        }
        let serviceList = ServiceList(
            settings: settings, executableDirectory: executableDirectory, environment: environment,
            additions: try ServiceList.additions(environment))
        try serviceList.check { access($0, X_OK) == 0 }
        let files = try CatalogFile.pair(command.imports, command.bundleId)
        var read: [Import] = []
        for (file, bundleId) in files {
            read.append(Import(file: file, bundleId: bundleId, bytes: try CatalogFile.read(file)))
        }
        return UpPlan(
            settings: settings, imports: read, initDirectory: initDirectory, serviceList: serviceList,
            adminKey: environment["STOREBUS_ADMIN_KEY"],
            timeRate: command.timeRate.flatMap(RateText.rate), openApp: command.openApp,
            collector: try OTLPSettings.find(environment))
    }

    /// Reads the port for HTTPS. Nil for one that the gateway is to refuse or to choose.
    private static func httpsPort(_ environment: [String: String]) -> Int? {
        environment[ServiceList.httpsVariable].flatMap { Int($0) }.flatMap { (1...65535).contains($0) ? $0 : nil }
    }

    /// The directory of the running program, symbolic links resolved.
    static var ownDirectory: String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "./storebus"
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}

/// Starts a detached `up` in its own session and waits until it is ready.
struct DetachedStart: Sendable {
    let directory: DataDirectory
    /// Arguments of the detached process.
    let arguments: [String]
    let isQuiet: Bool

    /// The output of the detached process, whose banner is printed here.
    private var resultFile: String { "\(directory.runDirectory)/up.out" }
    private var narrationFile: String { "\(directory.logDirectory)/up.log" }

    /// - Throws: ``CLIError``, or ``QuietExit`` when the detached process has printed its error.
    func run(_ environment: CommandEnvironment) async throws {
        if let holder = DirectoryLock.holder(directory) {
            throw DirectoryLock.inUse(directory, by: "\(holder)")
        }
        try directory.prepare()
        unlink(resultFile)
        let pid = try spawn()
        let progress = Progress(environment, isQuiet: isQuiet)
        let end: Outcome = try await progress.during("starting") { () throws(CLIError) in await outcome(of: pid) }
        switch end {
        case .ready(let banner): environment.console.result(banner)
        case .ended(let end): throw refusal(end, environment)
        }
    }

    private enum Outcome {
        case ready(banner: String)
        case ended(Termination)
    }

    /// Waits for the banner, which is written in one piece when everything is ready.
    private func outcome(of pid: Int32) async -> Outcome {
        while true {
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == 0 else { return .ended(Termination(waitStatus: status)) }
            if RunRecord.read(directory)?.pid == pid, let text = FileAccess.text(resultFile), !text.isEmpty {
                return .ready(banner: text + "\n")
            }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// The error of the detached process, printed unchanged.
    private func refusal(_ end: Termination, _ environment: CommandEnvironment) -> any Error {
        if case .exited(let code) = end, let status = CLIExit(rawValue: code),
            let words = FileAccess.text(narrationFile), !words.isEmpty
        {
            environment.console.narrate(words + "\n")
            return QuietExit(status: status)
        }
        return CLIError(
            .serviceFailed, "the store did not start: \(end)", hints: ["its words: \(narrationFile)"])
    }

    /// `POSIX_SPAWN_SETSID`, which glibc's header keeps from programs that are not GNU's.
    private static let ownSession: Int16 = 0x80

    private func spawn() throws(CLIError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, resultFile, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, narrationFile, flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // In a session of its own the terminal's Ctrl-C and hang-up do not reach it.
        posix_spawnattr_setflags(&attributes, Self.ownSession)
        var words = (["storebus"] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var pid: Int32 = 0
        let error = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, &words, environ)
        guard error == 0 else {
            throw CLIError(.serviceFailed, "cannot start storebus up: \(FileAccess.reason(error))")
        }
        return pid
    }
}
