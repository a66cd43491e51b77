import StoreModels

/// The processes of a store: their command lines and order of start and stop.
struct ServiceList: Sendable {
    static let broker = "broker"
    static let gateway = ServiceName.gateway.rawValue

    /// The settings of `up`.
    struct Settings: Hashable, Sendable {
        var directory: DataDirectory
        /// The address the gateway listens on. All other services use loopback.
        var host: String
        var port: PortChoice
        var busPort: PortChoice
        /// The gateway's port for HTTPS, or nil without HTTPS.
        var httpsPort: Int?
        /// Whether a store without apps imports the sample catalogue.
        var wantsSample: Bool
        /// Whether the gateway waits for the imports of ``InitDirectory``.
        var hasInitFiles = false
        var replicas: Replicas = Replicas()
        /// Nil for SQLite.
        var database: DatabaseAddress?
        /// Nil for the store's own broker.
        var bus: ExternalBus?
        /// Port of the broker's monitoring pages, the one after the bus's.
        var busMonitorPort: PortChoice {
            guard case .fixed(let number) = busPort, number < 65535 else { return .auto }
            return .fixed(number + 1)
        }
    }

    let settings: Settings
    /// Directory of the services' executables, the same as that of `storebus`.
    let executableDirectory: String
    /// The environment of `up`.
    let environment: [String: String]
    /// Variables of single services, which go before all others. `storebus chaos` sets them.
    var additions: [String: [String: String]] = [:]  // keys: services, then variables

    /// Name of the gateway's variable with its port for HTTPS.
    static let httpsVariable = "STOREBUS_HTTPS_PORT"
    /// Name of the gateway's variable with the file of the imports' outcome.
    static let importsVariable = "STOREBUS_IMPORTS_FILE"
    /// Name of the variable with the file of ``additions``, a JSON object.
    static let additionsVariable = "STOREBUS_CHAOS_ENVIRONMENT"
    /// Name of the addition with the directory in which one service keeps its data.
    static let dataVariable = "STOREBUS_CHAOS_DATA"

    /// Reads the variables of single services from the file that the environment names.
    /// - Throws: `usage` for a file that cannot be read or has other content.
    static func additions(_ environment: [String: String]) throws(CLIError) -> [String: [String: String]] {
        guard let path = environment[additionsVariable], !path.isEmpty else { return [:] }
        guard let text = FileAccess.text(path),
            let additions = try? StoreJSON.decode([String: [String: String]].self, from: Array(text.utf8))
        else { throw CLIError(.usage, "\(additionsVariable) names no JSON of services and variables: \(path)") }
        return additions
    }

    /// Names of the services and of their executables.
    static let services = [broker] + ServiceName.rawValues

    /// The services to start: without a broker on an external bus.
    private var started: [String] { Self.services.filter { $0 != Self.broker || settings.bus == nil } }

    /// Every process by its name.
    var instances: [ServiceInstance] {
        started.flatMap { service in
            (1...settings.replicas.count(service)).map { ServiceInstance(service: service, number: $0) }
        }
    }

    /// Stages of start and stop. The bus starts first and stops last, and the gateway stops first.
    var plans: [Supervisor.Plan] {
        instances.map { instance in
            Supervisor.Plan(
                service: instance.name, startStage: instance.service == Self.broker ? 0 : 1,
                stopStage: instance.service == Self.gateway ? 0 : instance.service == Self.broker ? 2 : 1)
        }
    }

    /// Checks that every executable exists.
    /// - Throws: `executableMissing` with the names.
    func check(_ isExecutable: (String) -> Bool) throws(CLIError) {
        let missing = started.filter { !isExecutable("\(executableDirectory)/\($0)") }
        guard missing.isEmpty else {
            throw CLIError(
                .executableMissing, "\(executableDirectory) has no \(missing.joined(separator: ", "))",
                hints: ["build everything: make build"])
        }
    }

    /// Returns the command of a process.
    /// - Parameters:
    ///   - name: Name of the process, `payment-queue#2`.
    ///   - ports: Ports that services have reported. A restarted one keeps its port.
    func launch(_ name: String, ports: [String: ReadyFile]) -> ChildProcess.Launch {
        let directory = settings.directory
        let instance = ServiceInstance(name)
        let own = ports[name]
        let data = additions[instance.service]?[Self.dataVariable] ?? directory.path
        var arguments = ["--ready-file", directory.readyFile(name)]
        switch instance.service {
        case Self.broker:
            arguments += ["--host", "127.0.0.1", "--port", "\(own?.port ?? settings.busPort.argument)"]
            arguments += ["--monitor-port", "\(own?.monitorPort ?? settings.busMonitorPort.argument)"]
            arguments += ["--users-file", directory.busUsers]
        case Self.gateway:
            // Only the first process gets the requested port.
            let port = instance.number == 1 ? settings.port.argument : PortChoice.auto.argument
            arguments += ["--host", settings.host, "--port", "\(own?.port ?? port)"]
            arguments += ["--data", data, "--monitor-port", "0"]
        case ServiceName.catalog.rawValue where settings.wantsSample && instance.number == 1:
            arguments += ["--data", data, "--monitor-port", "0", "--sample"]
        default:
            arguments += ["--data", data, "--monitor-port", "0"]
        }
        return ChildProcess.Launch(
            executable: "\(executableDirectory)/\(instance.service)", arguments: arguments,
            environment: environment(of: instance, busPort: ports[Self.broker]?.port),
            logFile: directory.logFile(name))
    }

    /// Variables with the address and credentials of the database.
    private static let databaseVariables = ["DATABASE_URL", "DATABASE_PASSWORD_FILE", "PGPASSFILE", "PGPASSWORD"]

    /// The environment of a service. Secrets are variables, because every process can read arguments. Only the gateway
    /// gets the admin key, and only services with a database get its address.
    private func environment(of instance: ServiceInstance, busPort: Int?) -> [String: String] {
        let service = instance.service
        var variables = environment
        if let bus = settings.bus {
            // The credentials of an external bus come from the environment of `up`.
            variables["BUS_URL"] = bus.url
        } else {
            if let busPort { variables["BUS_URL"] = Self.busURL(busPort) }
            variables["BUS_CREDENTIALS_FILE"] = settings.directory.busToken(of: service)
            // The files for TLS belong to an external bus. The own broker is on loopback and speaks plain TCP.
            for name in BusTarget.tlsVariables { variables[name] = nil }
            variables["BUS_OPERATOR_CREDENTIALS_FILE"] =
                service == Self.gateway ? settings.directory.busToken(of: BusUsers.operatorName) : nil
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
        if service != Self.gateway || instance.number > 1 {
            // Only the first gateway gets the port.
            variables[Self.httpsVariable] = nil
        } else if let port = settings.httpsPort {
            variables[Self.httpsVariable] = "\(port)"
        }
        variables[Self.importsVariable] =
            service == Self.gateway && settings.hasInitFiles ? settings.directory.importsFile : nil
        variables[Self.additionsVariable] = nil
        return variables.merging(additions[service] ?? [:]) { $1 }
    }

    static func busURL(_ port: Int) -> String { "storebus://127.0.0.1:\(port)" }
}

/// One process of a service. The first has the service's name, the others a number: `payment-queue#2`.
struct ServiceInstance: Hashable, Sendable {
    var service: String
    /// Counted from 1.
    var number = 1

    var name: String { number == 1 ? service : "\(service)#\(number)" }

    /// The name in file names.
    var fileName: String { "\(service).\(number)" }
}

extension ServiceInstance {
    /// - Parameter name: `payment-queue` or `payment-queue#2`.
    init(_ name: String) {
        let parts = name.split(separator: "#", maxSplits: 1)
        if parts.count == 2, let number = Int(parts[1]), number > 1 {
            self.init(service: String(parts[0]), number: number)
        } else {
            self.init(service: name)
        }
    }
}

/// The number of processes of services, `--replicas payment-queue=2,eligibility=3`.
struct Replicas: Hashable, Sendable {
    /// Counts other than 1, by service.
    private(set) var counts: [String: Int] = [:]

    /// Maximum number of processes of a service.
    static let max = 16

    init() {}

    /// - Parameter words: `payment-queue=2`, or several separated by commas.
    /// - Throws: `usage` with the nearest name.
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
            let names = ServiceName.rawValues
            let near = Suggestion.hints(for: service, among: names).first
            throw CLIError(
                .usage, "there is no service '\(service)'", hints: [near ?? "they are \(names.joined(separator: ", "))"]
            )
        }
        guard let count = Int(text), (1...Self.max).contains(count) else {
            throw CLIError(
                .usage, "--replicas takes a number from 1 to \(Self.max) for \(service), not '\(text)'",
                hints: ["for example --replicas \(service)=2"])
        }
        counts[known.rawValue] = count == 1 ? nil : count
    }

    func count(_ service: String) -> Int { counts[service] ?? 1 }

    /// The text of the option.
    var words: [String] { counts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }

    /// Services that keep a database of their own. Only Eligibility has none.
    static let storing: Set<String> = [
        ServiceName.catalog.rawValue, ServiceName.paymentQueue.rawValue, ServiceName.promotionController.rawValue,
        ServiceName.paymentProcessor.rawValue, ServiceName.appStoreServer.rawValue, ServiceName.gateway.rawValue,
    ]

    /// Checks the database of replicas, because one process holds a SQLite file.
    /// - Throws: `replicasNeedDatabase` for a service with SQLite.
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

/// An external bus of a store, parsed without connecting: `nats://a,b,c` or `storebus://host:7420`.
struct ExternalBus: Hashable, Sendable {
    /// The URL for services. It may contain a secret, so it is never printed and never an argument.
    let url: String
    /// `--bus-url` or `BUS_URL`.
    let origin: String
    /// The URL without secrets.
    let location: String

    private static let schemes = ["storebus://", "tls://", "nats://", "nats+tls://"]

    /// - Throws: `usage` for an invalid URL. The message repeats no part of it.
    init(_ url: String, origin: String) throws(CLIError) {
        guard let scheme = Self.schemes.first(where: url.hasPrefix), url.utf8.count > scheme.utf8.count else {
            throw CLIError(
                .usage, "\(origin) is not a bus that a store can join",
                hints: [
                    "write nats://a,b,c or storebus://host:7420, with TLS nats+tls://a,b,c or tls://host:7420",
                    "leave it out for a broker of the store's own",
                ])
        }
        let rest = url.dropFirst(scheme.count)
        self.url = url
        self.origin = origin
        location = scheme + (rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
    }

    /// The flag goes before the variable.
    /// - Returns: Nil when neither is set: the store starts a broker.
    /// - Throws: `usage` for an invalid URL, and for a secret in the arguments, which every process can read.
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
