import StoreModels

/// The processes of a store: which there are, in what order they start and stop, and how each is called.
struct ServiceList: Sendable {
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

    /// Those that are started: on an external bus, no broker.
    private var started: [String] { Self.services.filter { $0 != Self.broker || settings.bus == nil } }

    /// Every process, by the name it is reported under.
    var instances: [ServiceInstance] {
        started.flatMap { service in
            (1...settings.replicas.count(service)).map { ServiceInstance(service: service, number: $0) }
        }
    }

    /// The bus starts first and stops last, because every other service needs it; the gateway stops first.
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
    ///   - ports: the ports that services have reported; a restarted one gets the port it had.
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

    /// Only the gateway gets the admin key, and only services that store get the database: as variables, because every
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

/// One process of a service: the first bears the service's own name, the others a number behind it, `payment-queue#2`.
struct ServiceInstance: Hashable, Sendable {
    var service: String
    /// From 1 on.
    var number: Int

    init(service: String, number: Int = 1) {
        self.service = service
        self.number = number
    }

    /// - Parameter name: `payment-queue` or `payment-queue#2`.
    init(_ name: String) {
        let parts = name.split(separator: "#", maxSplits: 1)
        if parts.count == 2, let number = Int(parts[1]), number > 1 {
            self.init(service: String(parts[0]), number: number)
        } else {
            self.init(service: name)
        }
    }

    var name: String { number == 1 ? service : "\(service)#\(number)" }

    /// As files are called after it.
    var fileName: String { "\(service).\(number)" }
}

/// `--replicas payment-queue=2,eligibility=3`: how many processes of a service there shall be.
struct Replicas: Hashable, Sendable {
    /// Of those that are not one.
    private(set) var counts: [String: Int] = [:]

    /// More on one machine only take each other's time.
    static let max = 16

    init() {}

    /// - Parameter words: `payment-queue=2`, or several with commas between.
    /// - Throws: `usage` with what was perhaps meant.
    init(_ words: [String]) throws(CLIError) {
        for word in words.flatMap({ $0.split(separator: ",") }) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw CLIError(
                    .usage, "--replicas takes SERVICE=N, not '\(word)'", hints: ["for example payment-queue=2"])
            }
            try add(parts[0], parts[1])
        }
    }

    private mutating func add(_ service: String, _ text: String) throws(CLIError) {
        guard service != ServiceList.broker else {
            throw CLIError(
                .usage, "the broker is one process: services meet on it",
                hints: ["any other service can have replicas, such as payment-queue=2"])
        }
        guard let known = ServiceName(rawValue: service) else {
            let names = ServiceName.allCases.map(\.rawValue)
            let near = Suggestion.nearest(to: service, among: names).map { "did you mean '\($0)'?" }
            throw CLIError(
                .usage, "there is no service '\(service)'", hints: [near ?? "they are \(names.joined(separator: ", "))"]
            )
        }
        guard let count = Int(text), (1...Self.max).contains(count) else {
            throw CLIError(.usage, "--replicas \(service)= is a number from 1 to \(Self.max), not '\(text)'")
        }
        counts[known.rawValue] = count == 1 ? nil : count
    }

    func count(_ service: String) -> Int { counts[service] ?? 1 }

    /// As they are written.
    var words: [String] { counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }

    /// Services that keep a database of their own; only Eligibility has none.
    static let storing: Set<String> = [
        ServiceName.catalog.rawValue, ServiceName.paymentQueue.rawValue, ServiceName.promotionController.rawValue,
        ServiceName.paymentProcessor.rawValue, ServiceName.gateway.rawValue,
    ]

    /// One process at a time holds a SQLite file.
    /// - Throws: `replicasNeedDatabase` for a service that stores and has no other database.
    func check(database: DatabaseAddress?) throws(CLIError) {
        let held = counts.keys.filter { Self.storing.contains($0) }.sorted()
        guard database == nil, let service = held.first else { return }
        throw CLIError(
            .replicasNeedDatabase,
            "\(count(service)) of \(service) cannot share its SQLite file, which one process at a time holds",
            hints: [
                "name a PostgreSQL: --database-url postgres://user@host/db, or DATABASE_URL",
                "or start one: without --replicas \(service)",
            ], details: ["services": .array(held.map { .string($0) })])
    }
}

/// An external bus that a store joins, read without connecting: `nats://a,b,c` or `storebus://host:7420`.
struct ExternalBus: Hashable, Sendable {
    /// As services are given it. It may have a secret in it, so it is never printed and never an argument.
    let url: String
    /// `--bus-url` or `BUS_URL`.
    let origin: String
    /// For people: the URL without what is secret.
    let location: String

    private static let schemes = ["storebus://", "nats://"]

    /// - Throws: `usage` for what is no such URL. The sentence repeats nothing of it.
    init(_ url: String, origin: String) throws(CLIError) {
        guard let scheme = Self.schemes.first(where: url.hasPrefix), url.utf8.count > scheme.utf8.count else {
            throw CLIError(
                .usage, "\(origin) is no bus a store can join",
                hints: ["write nats://a,b,c or storebus://host:7420", "leave it out for a broker of the store's own"])
        }
        let rest = url.dropFirst(scheme.count)
        self.url = url
        self.origin = origin
        location = scheme + (rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
    }

    /// The flag goes before the variable.
    /// - Returns: nil when neither is there: the store starts a broker.
    /// - Throws: `usage` for what is no bus, and for a secret where every process of the machine can see it.
    static func find(flag: String?, _ variables: [String: String]) throws(CLIError) -> ExternalBus? {
        if let flag {
            let bus = try ExternalBus(flag, origin: "--bus-url")
            guard bus.location == flag else {
                throw CLIError(
                    .usage, "a secret on the command line can be seen by every user of this machine",
                    hints: ["keep it in a file: BUS_CREDENTIALS_FILE", "or set BUS_URL instead of --bus-url"])
            }
            return bus
        }
        guard let url = variables["BUS_URL"], !url.isEmpty else { return nil }
        return try ExternalBus(url, origin: "BUS_URL")
    }
}
