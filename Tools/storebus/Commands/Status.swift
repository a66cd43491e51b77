import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus status`
struct StatusCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "status", "Show which store is used, whether it is ready, and the state of its services.",
        """
        storebus status
        storebus status --wait --timeout 30s
        storebus status -o json

        A store is ready when it completes purchases. Without its payment processor it takes purchases but they \
        wait, so it is not ready. The exit status is 0 for a store that is ready, 75 for one that is not, and 69 when \
        nothing answers. With --wait, asks until the store is ready, 30s unless --timeout says otherwise.

        SINCE is the start of a service's process. RESTARTS counts the times that storebus up has restarted it.
        """)

    @Flag(help: "Ask again until the store is ready.") var wait = false
    @OptionGroup var options: GlobalOptions

    private static let pause = Duration.milliseconds(100)
    private static let usualWait = Duration.seconds(30)

    func run() async throws {
        let deadline = ContinuousClock.now + (wait ? options.timeout?.duration ?? Self.usualWait : .zero)
        let context = try await find(until: deadline)
        try await context.progress.during("waiting for \(context.api.url)") { () throws(CLIError) in
            while wait, ContinuousClock.now < deadline, !Task.isCancelled {
                do throws(CLIError) {
                    if try await context.api.readiness().isReady { break }
                } catch {
                    guard error.mayPass else { throw error }
                }
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
        let report = try await StatusReport.gather(context)
        context.print(report.result)
        if !report.isReady { throw QuietExit(status: .temporary) }
    }

    /// Finds the store. With `--wait` it waits for one that is starting.
    private func find(until deadline: ContinuousClock.Instant) async throws(CLIError) -> CommandContext {
        while true {
            do throws(CLIError) {
                return try CommandContext.find(options)
            } catch  where error.code == .serverUnreachable && ContinuousClock.now < deadline && !Task.isCancelled {
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
    }
}

/// The output of `storebus status`: address, readiness and each service. The bus and the data directory report the
/// services.
struct StatusReport: Sendable {
    struct Row: Hashable, Sendable {
        /// Name of the process: `payment-queue`, `payment-queue#2`.
        var service: String
        /// Nil when the store runs elsewhere.
        var pid: Int32?
        /// Ports of this process, for its service and for its monitoring pages.
        var port: Int?
        var monitorPort: Int?
        /// `pass`, `warn`, `fail`, or `away`.
        var health: String
        var version: String
        var message: String = ""
        /// Wall time at which the process started. Nil while it is away.
        var startedAt: Timestamp?
        /// Nil when the store runs elsewhere.
        var restarts: Int?
    }

    /// An isolated store: its name with the origin, and the store as listed, which needs the admin key.
    struct Isolated: Sendable {
        var name: EffectiveSettings.Value
        var store: IsolatedStore?

        /// `store t-7 from STOREBUS_STORE  com.example.app until 2026-11-21 11:00:04Z`
        fileprivate var line: String {
            let facts = store.map { "  \($0.bundleId) until \(Format.time($0.expiresAt))" } ?? ""
            return "store \(name.text) from \(name.origin)\(facts)\n"
        }

        fileprivate var json: JSONValue {
            .object([
                "store": .string(name.text), "origin": .string(name.origin),
                "bundleId": store.map { .string($0.bundleId) } ?? .null,
                "expiresAt": store.map { JSONText.value($0.expiresAt) } ?? .null,
            ])
        }
    }

    var url: String
    /// The origin of the address.
    var origin: String
    /// The isolated store in use. Nil for the installation's own store.
    var isolated: Isolated?
    var directory: String?
    var isReady: Bool
    var rows: [Row]
    /// The gateway's whole responses.
    var services: JSONValue
    var readiness: JSONValue

    /// Asks the store. Without the admin key the services are unknown.
    /// - Throws: `isolatedStoreNotFound` for an isolated store that does not exist.
    static func gather(_ context: CommandContext) async throws(CLIError) -> StatusReport {
        let readiness = try await context.api.readiness()
        guard let body = readiness.body else {
            throw CLIError(
                .answerInvalid, "\(context.api.url) answers, but not as a Storebus does",
                hints: ["is it another program's port? --url names the store"])
        }
        let installation = context.installation.api
        let services = installation.adminKey == nil ? nil : try? await installation.received(MonitoringRoutes.services)
        let store = try await context.api.isolatedStore()
        return StatusReport(
            url: context.api.url, origin: context.settings.url.origin,
            isolated: context.settings.store.map { Isolated(name: $0, store: store) },
            directory: context.directory?.path, isReady: readiness.isReady,
            rows: brokerRow(context, body.value) + withRestarts(rows(services?.value, context.directory), context),
            services: services?.json ?? .null, readiness: body.json)
    }

    /// Reports the broker's state from the gateway, because its process is in another container.
    private static func brokerRow(_ context: CommandContext, _ readiness: ReadinessResponse) -> [Row] {
        guard Deployment.isCompose(context.environment), context.directory == nil else { return [] }
        let isThere = readiness.bus == "connected"
        return [Row(ServiceList.broker, nil, health: isThere ? "pass" : "away")]
    }

    /// Adds the restarts that the directory's `storebus up` has counted.
    private static func withRestarts(_ rows: [Row], _ context: CommandContext) -> [Row] {
        guard let directory = context.directory else { return rows }
        return rows.map { row in
            with(row) { $0.restarts = FileAccess.text(directory.restartFile(row.service)).flatMap { Int($0) } }
        }
    }

    /// Makes one row for each instance on the bus. A service without an instance is away. The broker's row is that of
    /// its process.
    static func rows(_ services: ServicesResponse?, _ directory: DataDirectory?) -> [Row] {
        let instances = services?.services ?? []
        let broker = directory.flatMap { ReadyFile.read($0.readyFile(ServiceList.broker)) }
        var rows: [Row] = []
        let record = directory.flatMap(RunRecord.read)
        let joinedAnotherBus = record.map { $0.monitorPort == nil } ?? false
        if directory != nil, !joinedAnotherBus {
            // The broker is ready when it has started.
            let since = directory.flatMap { FileAccess.changedAt($0.readyFile(ServiceList.broker)) }
            rows.append(
                Row(
                    ServiceList.broker, broker, health: broker == nil ? "away" : "pass",
                    startedAt: broker.flatMap { _ in since }))
        }
        let expected =
            record?.instances
            ?? ServiceName.rawValues.map {
                ServiceInstance(service: $0)
            }
        for (service, processes) in Self.grouped(expected) {
            let files = processes.compactMap { process in
                directory.flatMap { ReadyFile.read($0.readyFile(process.name)) }.map { (process.name, $0) }
            }
            let here = instances.filter { $0.name == service }
            let found = here.map { instance -> Row in
                let file = files.first { $0.1.instance == instance.id }
                return row(file?.0 ?? service, instance, file?.1)
            }
            // A single process may run elsewhere; of several, each missing one is reported.
            let missing = processes.map(\.name).filter { name in
                here.isEmpty || (processes.count > 1 && !found.contains { $0.service == name })
            }
            rows +=
                (found
                + missing.map { name in
                    Row(name, files.first { $0.0 == name }?.1, health: services == nil ? "-" : "away")
                })
                .sorted { ServiceInstance($0.service).number < ServiceInstance($1.service).number }
        }
        return rows
    }

    /// Groups processes by service, in the order of the services.
    private static func grouped(_ instances: [ServiceInstance]) -> [(String, [ServiceInstance])] {
        ServiceName.rawValues.map { service in (service, instances.filter { $0.service == service }) }
    }

    private static func row(_ service: String, _ instance: ServicesResponse.Instance, _ file: ReadyFile?) -> Row {
        let messages = instance.checks.sorted { $0.key < $1.key }.compactMap(\.value.message)
        return Row(
            service, file, health: instance.status?.rawValue ?? "-", version: instance.version ?? "-",
            message: messages.joined(separator: "; "), startedAt: instance.startedAt)
    }

    var result: CommandResult {
        CommandResult(
            data: json, names: rows.map(\.service), next: isReady ? "storebus product list" : "storebus doctor",
            notes: (silent.isEmpty ? [] : ["\(silent.joined(separator: ", ")) does not answer"]) + refusedImports
        ) {
            [self] in text($0)
        }
    }

    /// Files of `up --init` that keep the store from being ready.
    private var refusedImports: [Advice] {
        (readiness["imports"]?.arrayValue ?? []).compactMap { file in
            guard file["status"]?.stringValue == "refused", let error = file["error"]?.stringValue else { return nil }
            return "refused: \(error)"
        }
    }

    /// Services that keep the store from being ready.
    private var silent: [String] {
        guard !isReady else { return [] }
        let services = readiness["services"]?.objectValue ?? [:]
        return services.filter { $0.value != "answering" }.keys.sorted()
    }

    var text: String { text(.plain) }

    func text(_ style: Style) -> String {
        let table = Table(
            [
                "SERVICE", .state("HEALTH"), "SINCE", .right("RESTARTS"), .right("PID"), .right("PORT"),
                .right("MONITOR"), "VERSION", "MESSAGE",
            ], rows
        ) { row in
            [
                row.service, row.health, row.startedAt.map(Format.time) ?? "-", row.restarts.map { "\($0)" } ?? "-",
                Self.text(row.pid.map(Int.init)), Self.text(row.port), Self.text(row.monitorPort), row.version,
                row.message,
            ]
        }
        let source = directory.map { "  data \($0)" } ?? "  from \(origin)"
        let state = isReady ? "ready" : "not ready"
        return "\(url)  \(style.paint(state, .of(state: state)))\(source)\n" + (isolated?.line ?? "")
            + table.text(style)
    }

    var json: JSONValue {
        .object([
            "url": .string(url), "origin": .string(origin), "dataDirectory": directory.map { .string($0) } ?? .null,
            "isolatedStore": isolated.map(\.json) ?? .null,
            "ready": .bool(isReady),
            "services": .array(rows.map(Self.json)), "readiness": readiness, "discovered": services,
        ])
    }

    private static func json(_ row: Row) -> JSONValue {
        .object([
            "service": .string(row.service), "health": .string(row.health), "version": .string(row.version),
            "pid": row.pid.map { .integer($0) } ?? .null, "port": row.port.map { .integer($0) } ?? .null,
            "monitorPort": row.monitorPort.map { .integer($0) } ?? .null, "message": .string(row.message),
            "startedAt": row.startedAt.map { JSONText.value($0) } ?? .null,
            "restarts": row.restarts.map { .integer($0) } ?? .null,
        ])
    }

    /// Formats a port. 0 means no port.
    private static func text(_ number: Int?) -> String {
        guard let number, number != 0 else { return "-" }
        return "\(number)"
    }
}

extension StatusReport.Row {
    /// - Parameter file: The process's own file. Nil if it runs elsewhere or is not ready.
    init(
        _ service: String, _ file: ReadyFile?, health: String, version: String = "-", message: String = "",
        startedAt: Timestamp? = nil
    ) {
        self.init(
            service: service, pid: file?.pid, port: file?.port, monitorPort: file?.monitorPort, health: health,
            version: version, message: message, startedAt: startedAt)
    }
}
