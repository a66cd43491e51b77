import FoundationEssentials
import Glibc
import StoreHTTP
import StoreModels

/// Runs a store: locks the directory, starts the services, imports catalogues, prints the banner, waits for the end.
@MainActor
final class UpRun {
    private let plan: UpPlan
    private let output: OutputFormat
    private let start: ContinuousClock.Instant
    private let console: Console
    private let progress: Progress
    private let isDetached: Bool
    private var waiting: Task<Void, Never>?
    private var opening: Task<Void, Never>?
    private var openingApps: Task<Void, Never>?
    private var exporting: Task<Void, Never>?
    private var failure: CLIError?

    /// - Parameter isDetached: Whether no terminal can send Ctrl-C.
    init(
        plan: UpPlan, output: OutputFormat, start: ContinuousClock.Instant, console: Console, progress: Progress,
        isDetached: Bool = false
    ) {
        self.plan = plan
        self.output = output
        self.start = start
        self.console = console
        self.progress = progress
        self.isDetached = isDetached
    }

    private var directory: DataDirectory { plan.settings.directory }

    /// - Returns: The exit status after a regular stop.
    /// - Throws: The reason of a failed start.
    func run() async throws(CLIError) -> CLIExit {
        try directory.prepare()
        let lock = try DirectoryLock.take(directory)
        defer { withExtendedLifetime(lock) {} }
        try plan.settings.port.check(host: plan.settings.host, flag: "--port")
        if let port = plan.settings.httpsPort {
            try PortChoice.fixed(port).check(host: plan.settings.host, flag: "--https-port")
        }
        if plan.settings.bus == nil {
            try plan.settings.busPort.check(host: "127.0.0.1", flag: "--bus-port")
            try plan.settings.busMonitorPort.check(host: "127.0.0.1", flag: "--bus-port")
            try BusUsers.prepare(directory)
        }
        try tellGateway(plan.initDirectory?.waiting ?? [])
        let adminKey: String
        if let given = plan.adminKey { adminKey = given } else { adminKey = try Secret.keep(at: directory.adminKey) }

        var stack: Stack?
        let running = Stack(serviceList: plan.serviceList) { [weak self] report in
            self?.tell(report)
            if case .allReady = report, let self, let stack { self.open(stack, adminKey: adminKey) }
        }
        stack = running
        let signals = StopSignals { [weak self] _ in
            Task { @MainActor in self?.stop(running) }
        }
        defer { withExtendedLifetime(signals) {} }
        waiting = progress.isShown ? progress.tick("starting") : nil
        let outcome = await running.run()
        await endWaiting()
        opening?.cancel()
        openingApps?.cancel()
        exporting?.cancel()
        await openingApps?.value
        await exporting?.value
        unlink(directory.runRecord)
        if let failure { throw failure }
        return try status(outcome)
    }

    // MARK: Opening

    /// Waits for readiness, imports catalogues and sets clocks, before the store is announced.
    private func open(_ stack: Stack, adminKey: String) {
        let ownBus = stack.port(of: ServiceList.broker).map(ServiceList.busURL)
        guard let port = stack.port(of: ServiceList.gateway), let busURL = plan.settings.bus?.location ?? ownBus
        else { return }
        let host = plan.settings.host == "0.0.0.0" ? "127.0.0.1" : plan.settings.host
        let record = RunRecord(
            pid: getpid(), url: "http://\(host):\(port)", busURL: busURL,
            monitorPort: stack.monitorPort(of: ServiceList.broker), dataDirectory: directory.path,
            startedAt: .wallClock(), version: StorebusVersion.number,
            replicas: plan.settings.replicas.counts.isEmpty ? nil : plan.settings.replicas.counts,
            database: plan.settings.database?.location)
        let api = StoreAPI(transport: HTTPStoreTransport(baseURL: record.url), url: record.url, adminKey: adminKey)
        // Not awaited, because the supervisor's loop calls this.
        opening = Task {
            do throws(CLIError) {
                try await becomeReady(api)
                let given = try await importAll(api)
                let (found, outcome) = await importInitFiles(api)
                let imports = given + found
                let clock = try await setClocks(imports, api)
                try await openApps(api)
                try record.write(to: directory)
                exportTraces()
                // The store becomes ready with this, so commands find its record by then.
                try tellGateway(outcome)
                await announce(record, imports, clock, api, addresses(stack, host: host))
            } catch {
                guard !Task.isCancelled else { return }
                failure = error
                stack.stop()
            }
        }
    }

    /// Addresses of the gateways other than the first, which have ports of their own.
    private func addresses(_ stack: Stack, host: String) -> [String: String] {
        let others = plan.serviceList.instances.filter { $0.service == ServiceList.gateway && $0.number > 1 }
        let pairs = others.compactMap { instance in
            stack.port(of: instance.name).map { (instance.name, "http://\(host):\($0)") }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func becomeReady(_ api: StoreAPI) async throws(CLIError) {
        let deadline = ContinuousClock.now + .seconds(30)
        while !Task.isCancelled {
            var last: JSONValue = .null
            if let answer = try? await api.takesImports() {
                if answer.isReady { return }
                last = answer.body?.json ?? .null
            }
            guard ContinuousClock.now < deadline else {
                throw CLIError(
                    .notReady, "every service runs, but the store does not say it is ready: \(JSONText.line(last))",
                    hints: ["logs: \(directory.logDirectory)"])
            }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    /// Imports the files of the command line. Without any, an empty Catalog has imported the sample.
    private func importAll(_ api: StoreAPI) async throws(CLIError) -> [Banner.Import] {
        var done: [Banner.Import] = []
        for one in plan.imports {
            let report = try await CatalogFile.send(one.bytes, file: one.file, bundleId: one.bundleId, to: api)
            done.append(
                Banner.Import(
                    bundleId: one.bundleId, summary: CatalogFile.summary(report, file: one.file),
                    notes: report.notes.map { Advice($0) } + CatalogImport.settings(report)))
        }
        return done
    }

    /// Imports the files of `--init`. A refused one is narrated and makes `/readyz` 503.
    private func importInitFiles(
        _ api: StoreAPI
    ) async -> (imports: [Banner.Import], outcome: [ReadinessResponse.ImportedFile]) {
        guard let initDirectory = plan.initDirectory else { return ([], []) }
        var outcome = initDirectory.waiting
        var taken = Dictionary(exactly: plan.imports.map { ($0.bundleId, $0.file) })
        var done: [Banner.Import] = []
        for (index, file) in initDirectory.files.enumerated() where !file.isSkipped {
            do throws(CLIError) {
                let bytes = try initDirectory.read(file, taken: taken)
                taken[file.bundleId] = file.name
                let place = "\(initDirectory.path)/\(file.name)"
                let report = try await CatalogFile.send(
                    bytes, file: place, fileName: file.nameWithoutNumber, bundleId: file.bundleId, to: api)
                outcome[index].status = .imported
                done.append(
                    Banner.Import(
                        bundleId: file.bundleId, summary: CatalogFile.summary(report, file: place),
                        notes: report.notes.map { Advice($0) } + CatalogImport.settings(report)))
            } catch {
                let refusal = error.completed(CommandEnvironment.current.printed)
                outcome[index].status = .refused
                outcome[index].error = ([refusal.message] + refusal.problems + refusal.hints.map(\.text))
                    .joined(separator: "; ")
                console.narrate(refusal.text)
            }
        }
        return (done, outcome)
    }

    /// Writes the outcome of the imports for the gateway.
    private func tellGateway(_ outcome: [ReadinessResponse.ImportedFile]) throws(CLIError) {
        guard plan.settings.hasInitFiles else { return }
        let text = JSONText.line(JSONText.value(outcome))
        try FileAccess.write(Array(text.utf8), to: directory.importsFile, mode: 0o600)
    }

    /// - Returns: The first app's clock. Nil if it cannot be read, which is not an error.
    private func setClocks(_ imports: [Banner.Import], _ api: StoreAPI) async throws(CLIError) -> AppClockState? {
        let apps = imports.isEmpty ? [EffectiveSettings.defaultBundleId] : imports.map(\.bundleId)
        if let rate = plan.timeRate {
            for bundleId in Set(exactly: apps) {
                _ = try await api.call(ClockRoutes.put, [.bundleId: bundleId.text], body: ClockSetting(rate: rate))
            }
        }
        return try? await api.call(ClockRoutes.get, [.bundleId: apps[0]])
    }

    /// Opens apps from now on, until the store stops.
    private func openApps(_ api: StoreAPI) async throws(CLIError) {
        guard let command = plan.openApp else { return }
        let opener = AppOpener(api: api, command: command, logFile: directory.logFile(AppOpener.log)) { [console] in
            console.narrate($0)
        }
        let start = try await opener.position()
        openingApps = Task { await opener.run(from: start) }
    }

    /// Exports traces from now on, until the store stops, if OpenTelemetry's variables name a collector.
    private func exportTraces() {
        guard let settings = plan.collector else { return }
        let environment = CommandEnvironment.current
        exporting = Task { [console, directory] in
            do throws(CLIError) {
                let target = try BusTarget.find(url: nil, tokenFile: nil, data: directory.path, environment)
                try await target.join { client throws(CLIError) in
                    _ = await TraceExporter(settings, bus: client) { console.narrate("note: \($0)\n") }.run()
                }
            } catch {
                console.narrate("note: traces are not exported: \(error.message)\n")
            }
        }
    }

    /// Ends the export, which asks the processes a last time, and then the processes. A second signal does not wait.
    private func stop(_ stack: Stack) {
        guard let exporting, !exporting.isCancelled else { return stack.stop() }
        exporting.cancel()
        Task {
            await exporting.value
            stack.stop()
        }
    }

    // MARK: Telling

    private func endWaiting() async {
        guard let waiting else { return }
        self.waiting = nil
        await progress.end(waiting)
    }

    private func announce(
        _ record: RunRecord, _ imports: [Banner.Import], _ clock: AppClockState?, _ api: StoreAPI,
        _ gateways: [String: String]
    ) async {
        let bundleId = imports.first?.bundleId ?? EffectiveSettings.defaultBundleId
        let products = (try? await api.catalogProducts(bundleId)) ?? []
        var shown = imports
        if shown.isEmpty, !products.isEmpty {
            shown = [
                Banner.Import(
                    bundleId: bundleId, summary: "\(Format.count(products.count, "product")) in force", notes: [])
            ]
        }
        let app = try? await api.call(AppRoutes.get, [.bundleId: bundleId])
        let consoleURL = try? await api.consoleAddress().url
        let commands = CommandEnvironment.current.printed
        let banner = Banner(
            url: record.url, consoleURL: consoleURL,
            httpsURL: plan.settings.httpsPort.map { "https://localhost:\($0)" }, gateways: gateways,
            bus: Banner.Bus(
                url: record.busURL, origin: plan.settings.bus?.origin, monitorPort: record.monitorPort,
                services: record.instances.map(\.name)),
            locations: Banner.Locations(
                dataDirectory: fromHere(directory.path),
                database: plan.settings.database.map { "\($0.location)  from \($0.origin)" },
                adminKey: plan.adminKey == nil ? fromHere(directory.adminKey) : "from STOREBUS_ADMIN_KEY"),
            imports: shown,
            app: Banner.App(
                bundleId: bundleId, product: products.first?.productIdentifier, clock: clock,
                renewals: app.flatMap(RenewalFormat.note)),
            stop: isDetached ? "\("storebus down" as ShellCommand) stops" : "^C stops",
            startedIn: ContinuousClock.now - start, commands: commands)
        await endWaiting()
        let data = JSONText.value(record).with(["console": consoleURL.map { .string($0) }])
        let result = CommandResult(data: data, next: banner.next) { _ in banner.text }
        console.result(result.output(output, .plain))
    }

    /// Shortens paths below the current directory.
    private func fromHere(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }

    private func tell(_ report: Supervisor.Report) {
        switch report {
        case .allReady: break
        case .died(let service, let pid, let end, let delay):
            console.narrate(
                "\(clock)  \(service) ended (pid \(pid), \(end)); starting again in \(Format.delay(delay))\n")
        case .recovered(let service, let pid): console.narrate("\(clock)  \(service) is back (pid \(pid))\n")
        case .killed(let service, let pid):
            console.narrate("\(clock)  \(service) did not stop in time, killed pid \(pid)\n")
        case .cannotStart(let service, let reason): console.narrate("\(clock)  \(service) cannot start: \(reason)\n")
        case .notReady(let services, let waited):
            console.narrate(
                "\(clock)  not ready after \(Format.seconds(waited)): \(services.joined(separator: ", "))\n")
            console.narrate(services.map { logEnd($0) }.joined())
        }
    }

    private var clock: String { Format.clock(.wallClock()) }

    private func logEnd(_ service: String) -> String {
        let path = directory.logFile(service)
        let lines = LogTail.lines(path, count: 5)
        return "  \(service): \(path)\(lines.isEmpty ? " is empty" : "")\n" + lines.map { "    \($0)\n" }.joined()
    }

    private func status(_ outcome: Supervisor.Outcome) throws(CLIError) -> CLIExit {
        guard case .failed(let failure) = outcome else {
            let again = CommandEnvironment.current.printed.complete("start again: storebus up")
            console.narrate("stopped      \(again)\n")
            return .success
        }
        let logs: [Advice] = ["logs: \(directory.logDirectory)"]
        switch failure {
        case .cannotStart(let service, let reason):
            throw CLIError(
                .serviceFailed, "\(service) cannot start: \(reason)", hints: ["build everything: make build"])
        case .gaveUp(let service, let end):
            console.narrate(logEnd(service))
            let status: CLIExit =
                if case .exited(let code) = end { CLIExit(rawValue: code) ?? .bug } else { .bug }
            throw CLIError(.serviceFailed, "\(service) ended with \(end)", hints: logs, status: status)
        case .tooSlow(let services):
            throw CLIError(
                .notReady, "not ready after a minute: \(services.joined(separator: ", "))", hints: logs)
        }
    }
}

/// The end of a service's log.
enum LogTail {
    /// Maximum number of bytes read from the end of a log.
    private static let byteCountMax = 16 * 1024

    /// Returns the last `count` lines that are not empty, escaped for a terminal.
    static func lines(_ path: String, count: Int) -> [String] {
        let start = off_t(max(0, (FileAccess.size(path) ?? 0) - byteCountMax))
        let bytes = FileAccess.bytes(of: path, at: start, count: byteCountMax)
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        // The first line may be incomplete.
        if start > 0, !lines.isEmpty { lines.removeFirst() }
        return lines.suffix(count).map { Table.onOneLine(String($0)) }
    }
}

/// The output of `up` once every service is ready:
///
/// ```
/// Storebus 0.1.0 (Swift 6.3)                                               ready in 0.41 s
///   Store API      http://127.0.0.1:7430/v1
///   Bus            storebus://127.0.0.1:7420         7 services: catalog payment-queue …
/// ```
struct Banner: Hashable, Sendable {
    /// An app with a summary of its catalogue.
    struct Import: Hashable, Sendable {
        var bundleId: String
        /// `App.storekit: 3 products, 1 group`
        var summary: String
        var notes: [Advice]
    }

    /// The bus and its clients.
    struct Bus: Hashable, Sendable {
        var url: String
        /// The origin of an external bus's address, `BUS_URL`. Nil for the store's own broker.
        var origin: String?
        /// The broker's monitoring pages. Nil without a broker.
        var monitorPort: Int?
        /// Their processes: `payment-queue`, `payment-queue#2`.
        var services: [String]
    }

    /// The place where the store keeps its data.
    struct Locations: Hashable, Sendable {
        var dataDirectory: String
        /// The PostgreSQL and the origin of its address. Nil for SQLite.
        var database: String?
        /// `.storebus/admin.key`, or `STOREBUS_ADMIN_KEY`.
        var adminKey: String
    }

    /// The first app, which `Next` is about.
    struct App: Hashable, Sendable {
        var bundleId: String
        /// The product in the suggested purchase.
        var product: String?
        /// Nil when unknown.
        var clock: AppClockState?
        /// The reason why its subscriptions do not renew in real time.
        var renewals: Advice?
    }

    var url: String
    /// The console's address with a ticket. Nil without one.
    var consoleURL: String?
    /// The address for HTTPS, by this machine's name. Nil without HTTPS.
    var httpsURL: String?
    /// Addresses of the gateways other than the first, by name.
    var gateways: [String: String] = [:]
    var bus: Bus
    var locations: Locations
    var imports: [Import] = []
    var app: App
    /// The hint how to stop the store.
    var stop: Advice = "^C stops"
    var startedIn: Duration
    /// Completes the commands it names.
    var commands = PrintedCommands.none

    var text: String {
        var lines = [Format.pad(StorebusVersion.line, 73) + "ready in \(Format.seconds(startedIn))"]
        lines.append(Self.line("Store API", url, "OpenAPI: \(url)/openapi.json"))
        let again = commands.complete("storebus open").text
        lines.append(Self.line("Console", consoleURL ?? url, "valid once, for a minute; a new one: \(again)"))
        if let httpsURL { lines.append(Self.line("  HTTPS", httpsURL, "Apple's host names: storebus trust")) }
        lines += gateways.sorted { $0.key < $1.key }.map { Self.line("  \($0.key)", $0.value, "") }
        let names = Format.count(bus.services.count, "service") + ": " + bus.services.joined(separator: " ")
        if let origin = bus.origin {
            lines.append(Self.line("Bus", "\(bus.url)  from \(origin)", "no broker started; \(names)"))
        } else {
            lines.append(Self.line("Bus", bus.url, names))
        }
        if let monitorPort = bus.monitorPort {
            lines.append(Self.line("Monitoring", "http://127.0.0.1:\(monitorPort)", ""))
        }
        lines.append(Self.line("Data", locations.dataDirectory, "logs: \(locations.dataDirectory)/logs"))
        if let database = locations.database { lines.append(Self.line("Database", database, "")) }
        lines.append(Self.line("Admin key", locations.adminKey, ""))
        for imported in imports {
            lines.append(Self.line("Catalogue", imported.bundleId, imported.summary))
            lines += imported.notes.map { "    note: \($0)" }
        }
        if let renewals = app.renewals { lines.append("    note: \(renewals)") }
        if let clock = app.clock { lines.append(Self.line("Clock", clock.bundleId, ClockFormat.state(clock))) }
        lines.append(Self.line("Notifications", listen.text, "forwards them to your server"))
        lines.append(Self.line("Next", next.text, commands.complete(stop).text))
        return lines.joined(separator: "\n") + "\n"
    }

    var next: Advice {
        guard let product = app.product else { return commands.complete("storebus import App.storekit") }
        return commands.complete("storebus buy \(product) --as alice\(AppOptions.flag(app.bundleId))")
    }

    private var listen: Advice {
        commands.complete(
            "storebus listen --forward-to http://localhost:8080/apple\(AppOptions.flag(app.bundleId))")
    }

    private static func line(_ title: String, _ value: String, _ remark: String) -> String {
        let start = "  \(Format.pad(title, 14)) "
        return remark.isEmpty ? start + value : start + Format.pad(value, 37) + "   " + remark
    }
}
