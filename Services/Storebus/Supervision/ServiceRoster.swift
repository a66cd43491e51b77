import StoreModels

/// The processes of a store: which there are, in what order they start and stop, and how each is called.
struct ServiceRoster: Sendable {
    static let broker = "broker"
    static let gateway = ServiceName.gateway.rawValue

    /// What `up` was asked for.
    struct Settings: Hashable, Sendable {
        var directory: DataDirectory
        /// The address the gateway listens on; everything else stays on loopback.
        var host: String
        var port: PortChoice
        var busPort: PortChoice
        /// A store without any app is given the sample catalogue.
        var wantsSample: Bool
        var replicas: Replicas = Replicas()
        /// nil for SQLite.
        var database: DatabaseAddress?
        /// nil for a broker of the store's own.
        var bus: ExternalBus?
        /// The broker's monitoring pages are on the port behind the bus's.
        var busMonitorPort: PortChoice {
            guard case .fixed(let number) = busPort, number < 65535 else { return .auto }
            return .fixed(number + 1)
        }
    }

    let settings: Settings
    /// Where the services' executables are: beside `storebus`.
    let executableDirectory: String
    /// The environment `up` itself was given.
    let environment: [String: String]

    init(settings: Settings, executableDirectory: String, environment: [String: String]) {
        self.settings = settings
        self.executableDirectory = executableDirectory
        self.environment = environment
    }

    /// Their names, and those of their executables.
    static let services = [broker] + ServiceName.allCases.map(\.rawValue)

    /// Those that are started: on a bus of somebody else's, no broker.
    private var started: [String] { Self.services.filter { $0 != Self.broker || settings.bus == nil } }

    /// Every process, by the name it is reported under.
    var instances: [ServiceInstance] {
        started.flatMap { service in
            (1...settings.replicas.count(service)).map { ServiceInstance(service: service, number: $0) }
        }
    }

    /// The bus starts first and stops last, because every other service stands on it; the gateway stops first.
    var plans: [Supervisor.Plan] {
        instances.map { instance in
            Supervisor.Plan(
                service: instance.name, startStage: instance.service == Self.broker ? 0 : 1,
                stopStage: instance.service == Self.gateway ? 0 : instance.service == Self.broker ? 2 : 1)
        }
    }

    /// Every executable is there.
    /// - Throws: `executableMissing` with the names.
    func check(_ isExecutable: (String) -> Bool) throws(CLIError) {
        let missing = started.filter { !isExecutable("\(executableDirectory)/\($0)") }
        guard missing.isEmpty else {
            throw CLIError(
                .executableMissing, "\(executableDirectory) has no \(missing.joined(separator: ", "))",
                hints: ["build everything: make build"])
        }
    }

    /// How a process is started.
    /// - Parameters:
    ///   - name: of the process, `payment-queue#2`.
    ///   - ports: what services have told of their ports; a restarted one gets the port it had.
    func launch(_ name: String, ports: [String: ReadyFile]) -> ChildProcess.Launch {
        let directory = settings.directory
        let instance = ServiceInstance(name)
        let own = ports[name]
        var arguments = ["--ready-file", directory.readyFile(name)]
        switch instance.service {
        case Self.broker:
            arguments += ["--host", "127.0.0.1", "--port", "\(own?.port ?? settings.busPort.argument)"]
            arguments += ["--monitor-port", "\(own?.monitorPort ?? settings.busMonitorPort.argument)"]
            arguments += ["--token-file", directory.busToken]
        case Self.gateway:
            // Only one process can have the port that was asked for.
            let port = instance.number == 1 ? settings.port.argument : PortChoice.auto.argument
            arguments += ["--host", settings.host, "--port", "\(own?.port ?? port)"]
            arguments += ["--data", directory.path, "--monitor-port", "0"]
        case ServiceName.catalog.rawValue where settings.wantsSample && instance.number == 1:
            arguments += ["--data", directory.path, "--monitor-port", "0", "--sample"]
        default:
            arguments += ["--data", directory.path, "--monitor-port", "0"]
        }
        return ChildProcess.Launch(
            executable: "\(executableDirectory)/\(instance.service)", arguments: arguments,
            environment: environment(of: instance.service, busPort: ports[Self.broker]?.port),
            logFile: directory.logFile(name))
    }

    /// What leads to the database, and into it.
    private static let databaseVariables = ["DATABASE_URL", "DATABASE_PASSWORD_FILE", "PGPASSFILE", "PGPASSWORD"]

    /// Only the gateway is told the admin key, and only what stores is told the database: as variables, because every
    /// process of the machine can read arguments.
    private func environment(of service: String, busPort: Int?) -> [String: String] {
        var variables = environment
        if let bus = settings.bus {
            // Its credentials are the caller's, too.
            variables["BUS_URL"] = bus.url
        } else {
            if let busPort { variables["BUS_URL"] = Self.busURL(busPort) }
            variables["BUS_CREDENTIALS_FILE"] = settings.directory.busToken
        }
        if Replicas.storing.contains(service) {
            variables["DATABASE_URL"] = settings.database?.url
        } else {
            for name in Self.databaseVariables { variables[name] = nil }
        }
        if service != Self.gateway {
            variables["STOREBUS_ADMIN_KEY"] = nil
            variables["STOREBUS_ADMIN_KEY_FILE"] = nil
        } else if variables["STOREBUS_ADMIN_KEY"] == nil {
            variables["STOREBUS_ADMIN_KEY_FILE"] = settings.directory.adminKey
        }
        return variables
    }

    static func busURL(_ port: Int) -> String { "storebus://127.0.0.1:\(port)" }
}
