import BusClient
import Chaos
import EventLoop
import Glibc
import NATSClient
import StoreHTTP
import StoreModels

/// The store that a run disturbs: its own, a running `storebus up`, or a compose project.
struct ChaosStore: Sendable {
    /// The directory of a `storebus up`, or nil for a compose project.
    let directory: DataDirectory?
    let api: StoreAPI
    let bus: BusTarget
    /// Every service with a process, the broker first where the store has its own.
    let services: [String]
    /// `SQLite`, or `PostgreSQL` with its address without secrets.
    let database: String
    /// Reaches the services' processes.
    let driver: any ServiceDriver
    /// The `storebus up` that the run has started, or nil for a store it found.
    let owned: OwnedStore?

    /// Finds the running store of a data directory.
    /// - Throws: `serverUnreachable` if no store runs there.
    static func find(_ data: String, _ environment: CommandEnvironment) throws(CLIError) -> ChaosStore {
        let directory = DataDirectory(data, currentDirectory: environment.currentDirectory)
        guard let record = RunRecord.read(directory), record.isAlive else {
            throw CLIError(
                .serverUnreachable, "no store runs on \(data)",
                hints: ["start it: STOREBUS_CHAOS=1 storebus up --data \(data)", "or leave --data out for a new store"])
        }
        return try ChaosStore(directory, record, owned: nil, environment)
    }

    init(
        _ directory: DataDirectory, _ record: RunRecord, owned: OwnedStore?, _ environment: CommandEnvironment
    ) throws(CLIError) {
        self.directory = directory
        self.owned = owned
        let key = environment.variables["STOREBUS_ADMIN_KEY"].flatMap { owned == nil ? $0 : nil }
        api = StoreAPI(
            transport: environment.transport(record.url), url: record.url,
            adminKey: key ?? FileAccess.text(directory.adminKey))
        bus = try BusTarget.find(url: nil, tokenFile: nil, data: directory.path, environment)
        services = (record.monitorPort == nil ? [] : [ServiceList.broker]) + ServiceName.rawValues
        database = record.database.map { "PostgreSQL, \($0)" } ?? "SQLite"
        driver = ProcessDriver(directory)
    }

    /// Reaches the store of a compose project.
    /// - Throws: `usage` when its door or bus is not published on this machine, or a key cannot be read.
    init(_ driver: ComposeDriver, _ environment: CommandEnvironment) async throws(CLIError) {
        let project = driver.project
        self.driver = driver
        directory = nil
        owned = nil
        services = project.services
        database = services.contains("postgres") ? "PostgreSQL of the project" : "outside the project"
        guard let door = project.published(ComposeProject.door, port: 7430) else {
            throw CLIError(
                .serverUnreachable, "the door of project \(project.name) is not published on this machine",
                hints: ["start it: \(ComposeProject.start)"])
        }
        let url = "http://\(door)"
        let named = try EffectiveSettings.find(url: url, data: nil, environment).adminKey?.text
        guard let key = await driver.secret("admin.key", of: ServiceList.gateway) ?? named else {
            throw CLIError(
                .usage, "the operator's key of project \(project.name) cannot be read from its gateway",
                hints: ["name it: STOREBUS_ADMIN_KEY or STOREBUS_ADMIN_KEY_FILE"])
        }
        api = StoreAPI(transport: environment.transport(url), url: url, adminKey: key)
        bus = try await Self.bus(driver, environment)
    }

    /// Finds the bus of a compose project, and the operator's token for it.
    private static func bus(_ driver: ComposeDriver, _ environment: CommandEnvironment) async throws(CLIError)
        -> BusTarget
    {
        let project = driver.project
        guard let address = project.published(ComposeProject.busDoor, port: 7420) else {
            throw CLIError(
                .usage, "the bus of project \(project.name) is not published on this machine",
                hints: ["start the store with the overlay that does: \(ComposeProject.start)"])
        }
        let url = project.isOnNATS ? "nats://operator:@\(address)" : "storebus://\(address)"
        if environment.variables["BUS_CREDENTIALS_FILE"] == nil,
            let token = await driver.secret("operator.token", of: ServiceList.broker)
        {
            var target = try BusTarget.find(url: url, tokenFile: nil, data: nil, environment)
            target.address.add(secret: token)
            return target
        }
        guard environment.variables["BUS_CREDENTIALS_FILE"] != nil else {
            throw CLIError(
                .usage, "the operator's token for the bus of project \(project.name) cannot be read",
                hints: [
                    "name its file: BUS_CREDENTIALS_FILE",
                    "docker compose run --rm -T --entrypoint cat storebus /var/lib/storebus/secrets/bus.token shows it",
                ])
        }
        return try BusTarget.find(url: url, tokenFile: nil, data: nil, environment)
    }

    /// The port of this machine at which clients reach the gateway.
    var gatewayPort: Int { api.url.split(separator: ":").last.flatMap { Int($0.prefix { $0 != "/" }) } ?? 80 }

    /// Process identifiers of a service, in the order of its replicas.
    func pids(of service: String) -> [Int32] { driver.pids(of: service) }

    /// The number of processes of each service.
    var processes: [ChaosRun.Processes] {
        services.map { ChaosRun.Processes(service: $0, count: max(1, pids(of: $0).count)) }
    }

    /// Stops the store if the run has started it, and removes its data.
    func close() async { await owned?.stop() }
}

/// A `storebus up` of the run's own, on free ports and a temporary data directory.
final class OwnedStore: Sendable {
    private let child: ChildProcess
    private let end: Locked<Termination?>
    private let directory: DataDirectory
    private let keepsData: Bool
    let equipment: ChaosEquipment

    /// Time for the first start, in which the services make their databases.
    private static let startTimeout = Duration.seconds(60)

    private init(
        _ child: ChildProcess, _ end: Locked<Termination?>, _ directory: DataDirectory, _ equipment: ChaosEquipment,
        keepsData: Bool
    ) {
        self.child = child
        self.end = end
        self.directory = directory
        self.equipment = equipment
        self.keepsData = keepsData
    }

    /// Starts a store and waits until it is ready.
    /// - Parameters:
    ///   - arguments: More arguments of `up`, such as replicas.
    ///   - faults: Faults that it is prepared for.
    ///   - log: The file with the output of `up`.
    /// - Throws: `serviceFailed` if it ends or is not ready in time.
    static func start(
        _ arguments: [String], faults: [FaultName], log: String, keepsData: Bool, _ environment: CommandEnvironment
    ) async throws(CLIError) -> ChaosStore {
        let directory = DataDirectory(try temporaryDirectory())
        var variables = environment.variables
        // A run must not reach the database, bus or key of another store.
        for name in ["BUS_URL", "BUS_CREDENTIALS_FILE", "DATABASE_URL", "STOREBUS_ADMIN_KEY", "STOREBUS_URL"] {
            variables[name] = nil
        }
        variables["STOREBUS_CHAOS"] = "true"
        let equipment: ChaosEquipment
        do throws(CLIError) {
            equipment = try ChaosEquipment(faults, directory)
        } catch {
            FileAccess.removeTree(directory.path)
            throw error
        }
        variables[ServiceList.additionsVariable] = equipment.environmentFile
        let launch = equipment.launch(
            ChildProcess.Launch(
                executable: "/proc/self/exe",
                arguments: ["up", "--data", directory.path, "--port", "auto", "--bus-port", "auto"] + arguments,
                environment: variables, logFile: log))
        let end = Locked<Termination?>(nil)
        let child: ChildProcess
        do {
            child = try ChildProcess.start(launch) { _, termination in end.withLock { $0 = termination } }
        } catch {
            equipment.stop()
            FileAccess.removeTree(directory.path)
            throw CLIError(.serviceFailed, "cannot start storebus up: \(error.reason)")
        }
        equipment.started(child.pid)
        let owned = OwnedStore(child, end, directory, equipment, keepsData: keepsData)
        do throws(CLIError) {
            return try ChaosStore(directory, try await owned.record(log), owned: owned, environment)
        } catch {
            await owned.stop()
            throw error
        }
    }

    private func record(_ log: String) async throws(CLIError) -> RunRecord {
        let deadline = ContinuousClock.now + Self.startTimeout
        while ContinuousClock.now < deadline, !Task.isCancelled {
            if let end = end.withLock({ $0 }) {
                throw CLIError(
                    .serviceFailed, "the run's own store did not start: \(end)", hints: ["its words: \(log)"])
            }
            if let record = RunRecord.read(directory), record.pid == child.pid { return record }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
        throw CLIError(.serviceFailed, "the run's own store was not ready in time", hints: ["its words: \(log)"])
    }

    private static func temporaryDirectory() throws(CLIError) -> String {
        var template = Array("/tmp/storebus-chaos-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CLIError(.dataDirectoryUnusable, "cannot make a directory in /tmp: \(FileAccess.systemReason)")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Time until `up`, which stops its services in order, is killed with them.
    private static let stopTimeout = Duration.seconds(20)

    func stop() async {
        child.send(SIGTERM)
        let deadline = ContinuousClock.now + Self.stopTimeout
        while end.withLock({ $0 }) == nil {
            if ContinuousClock.now > deadline { child.send(SIGKILL) }
            // Not cancelled with the task: the store is stopped also when the run is.
            await Task { try? await ContinuousClock().sleep(for: .milliseconds(20)) }.value
        }
        equipment.stop()
        if !keepsData { FileAccess.removeTree(directory.path) }
    }
}
