import ArgumentParser

/// `storebus up`
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start a store: every service as a process of its own.",
        discussion: """
            storebus up
            storebus up --import App.storekit --bundle-id com.example.app
            storebus up --import A.storekit --bundle-id com.example.a --import B.storekit --bundle-id com.example.b

            Starts, supervises and restarts the services until Ctrl-C. A data directory without a catalogue is given the \
            sample one. Each file is a whole catalogue, so each needs an app of its own. STOREBUS_ADMIN_KEY takes the \
            place of the admin key that is made up and kept in the data directory.
            """)

    @Option(
        name: .customLong("import"), help: ArgumentHelp("Put this catalogue in force. Repeatable.", valueName: "file"))
    var imports: [String] = []

    @Option(help: ArgumentHelp("The app of the --import with the same place in the line.", valueName: "id"))
    var bundleId: [String] = []

    @Option(help: ArgumentHelp("Keep the store's data here.", valueName: "dir"))
    var data = DataDirectory.defaultName

    @Option(help: ArgumentHelp("The gateway's port, or auto.", valueName: "n|auto"))
    var port = PortChoice.fixed(7430)

    @Option(help: ArgumentHelp("The bus's port, or auto; its monitoring is on the next one.", valueName: "n|auto"))
    var busPort = PortChoice.fixed(7420)

    @Option(
        help: ArgumentHelp("The address the gateway listens on; the bus stays on this machine.", valueName: "address"))
    var bind = "127.0.0.1"

    @Option(name: [.short, .long], help: "Print a 'human' banner or one 'json' document when ready.")
    var output = OutputFormat.human

    func run() async throws {
        let start = ContinuousClock.now
        let plan = try UpPlan.make(
            imports: imports, bundleIds: bundleId, data: data, port: port, busPort: busPort, bind: bind)
        let status = try await UpRun(plan: plan, output: output, start: start, console: .standard).run()
        if status != .success { throw QuietExit(status: status) }
    }
}
