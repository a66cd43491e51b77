import ArgumentParser
import BusClient
import BusService
import EventLoop
import FoundationEssentials
import Logging
import NATSClient
import ServiceLifecycle
import StoreModels
import UnixSignals

/// The main program that all executables share.
///
/// A service's whole executable:
/// ```swift
/// @main struct CatalogMain: AsyncParsableCommand {
///     static let configuration = CommandConfiguration(
///         commandName: "catalog", abstract: "Keeps apps, products and prices.", version: StorebusVersion.number)
///     @OptionGroup var options: ServiceOptions
///
///     func run() async throws {
///         try await ServiceMain.run(name: .catalog, options: options) { environment in
///             let catalog = try await Catalog(databasePath: "\(environment.dataDirectory)/catalog.sqlite")
///             catalog.register(on: environment.service)   // service.handle(…), service.healthCheck(…)
///             return [catalog]                            // what runs beside the endpoints; may be empty
///         }
///     }
/// }
/// ```
/// The broker, which is on no bus, uses ``runProcess(name:options:flags:monitorPort:usesData:build:)`` and
/// `environment.ready.listening(host:port:)`.
///
/// Start: SIGPIPE ignored, settings, logging, metrics, the loop, then `build`, then the monitoring port, then
/// everything runs in one `ServiceGroup`. SIGTERM and SIGINT end it gracefully in the opposite order: endpoints first
/// (their requests are finished), then the result of `build` from last to first, then the bus, then the monitoring
/// port. An error is one line on standard error that names place and remedy, and an exit code (``ProcessExit``). With
/// `--health` nothing is built, and a running instance is asked (``HealthProbe``).
package enum ServiceMain {
    /// How long a graceful end may take before everything is cancelled. It is longer than the drain of the endpoints.
    static let gracefulLimit: Duration = .seconds(15)

    /// Runs a service on the bus of `BUS_URL`, with the token in the file `BUS_CREDENTIALS_FILE`.
    ///
    /// - Parameters:
    ///   - flags: Settings by key, from flags of the service's own.
    ///   - description: One sentence for `$SRV.INFO`.
    ///   - usesData: Whether the data directory is made.
    ///   - build: Makes the service: opens databases, registers endpoints, returns what runs alongside them.
    /// - Throws: `ExitCode`, after the reason was written to standard error.
    package static func run(
        name: ServiceName, options: ServiceOptions, flags: [String: String] = [:], description: String = "",
        usesData: Bool = true,
        build: @escaping @Sendable (ServiceEnvironment) async throws -> [any ServiceLifecycle.Service]
    ) async throws {
        try await runProcess(name: name.rawValue, options: options, flags: flags, usesData: usesData) { process in
            let bus = try await BusClientService.open(process)
            let service = BusService(
                name: name, version: StorebusVersion.number, bus: bus, logger: process.logger,
                instance: process.instance, description: description,
                spans: SpanRing(
                    capacity: try process.configuration.int(
                        "trace.spans", default: SpanRing.usualCapacity, in: 0...65_536)))
            service.healthCheck("bus") { bus.state == .connected ? .pass : .fail("no connection to the bus") }
            process.monitor.route("/healthz") { _ in
                let health = await service.healthResponse()
                return .json(health, status: health.status == .fail ? 503 : 200)
            }
            let environment = ServiceEnvironment(
                process: process, bus: bus, service: service, caller: ServiceCaller(bus: bus, caller: name.rawValue))
            let services: [any ServiceLifecycle.Service]
            do {
                services = try await build(environment)
            } catch {
                await bus.close()
                throw error
            }
            return [BusClientService(bus: bus, logger: process.logger)] + services
                + [service, Announcer(service: service, process: process)]
        }
    }

    /// Runs a process that is on no bus by itself. It is ready when `ready.listening` is called.
    ///
    /// - Parameters:
    ///   - flags: Settings by key, from flags of the process's own.
    ///   - monitorPort: The monitoring port when the settings have none. Nil opens no port.
    /// - Throws: `ExitCode`, after the reason was written to standard error.
    package static func runProcess(
        name: String, options: ServiceOptions, flags: [String: String] = [:], monitorPort: Int? = nil,
        usesData: Bool = false,
        build: @escaping @Sendable (ProcessEnvironment) async throws -> [any ServiceLifecycle.Service]
    ) async throws {
        ignoreBrokenPipe()
        FilePrivacy.begin()
        DescriptorLimit.raise()
        do {
            if options.health { return try await HealthProbe.run(options: options, flags: flags) }
            let environment = try ProcessBuilder.environment(
                name: name, options: options, flags: flags, usesData: usesData)
            do {
                try await serve(environment, defaultMonitorPort: monitorPort, build)
            } catch {
                await ProcessBuilder.tearDown(environment)
                throw error
            }
            await ProcessBuilder.tearDown(environment)
        } catch {
            let reason = StartupError(error)
            LineWriter.standardError.flush()
            StandardError.write("\(name): \(reason.message)")
            throw ExitCode(reason.exit.rawValue)
        }
    }

    private static func serve(
        _ environment: ProcessEnvironment, defaultMonitorPort: Int?,
        _ build: @Sendable (ProcessEnvironment) async throws -> [any ServiceLifecycle.Service]
    ) async throws {
        var port = try environment.configuration.int("monitor.port", in: 0...65535) ?? defaultMonitorPort
        let services = try await build(environment)
        let monitorHost = try environment.configuration.string("monitor.host", default: "127.0.0.1")
        if let wanted = port { port = try await environment.monitor.start(host: monitorHost, port: wanted) }
        logStart(environment, monitorPort: port)
        // A process on no bus has nothing else to wait for than its listener.
        if !services.contains(where: { $0 is Announcer }) {
            environment.ready.expectListener()
            try environment.ready.serving(monitorPort: port ?? 0)
        }
        var configuration = ServiceGroupConfiguration(
            // With a name: the default is the service's description, all that it holds.
            services: ([environment.monitor] + services).map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "\(type(of: $0))")
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: ProcessBuilder.quiet(environment.logger))
        configuration.maximumGracefulShutdownDuration = gracefulLimit
        try await ServiceGroup(configuration: configuration).run()
        environment.logger.info("stopped")
    }

    private static func logStart(_ environment: ProcessEnvironment, monitorPort: Int?) {
        var metadata: Logger.Metadata = ["pid": "\(ProcessBuilder.processIdentifier)"]
        if let monitorPort { metadata["monitorPort"] = "\(monitorPort)" }
        environment.logger.info("started", metadata: metadata)
        environment.logger.info(
            "settings", metadata: environment.configuration.effective.mapValues { .string($0) })
    }
}

/// Writes the ready file once the endpoints are served.
struct Announcer: ServiceLifecycle.Service {
    let service: BusService
    let process: ProcessEnvironment

    func run() async throws {
        await cancelWhenGracefulShutdown { await service.ready() }
        if !Task.isShuttingDownGracefully, !Task.isCancelled {
            try process.ready.serving(monitorPort: await process.monitor.port)
        }
        try? await gracefulShutdown()
    }
}

/// The reason for a process's end, as its exit code. The numbers are those of `sysexits.h`, so that scripts and
/// supervisors can act on them.
package enum ProcessExit: Int32, Sendable {
    case success = 0
    /// Wrong flags or arguments.
    case usage = 64
    /// An input file cannot be used.
    case badInput = 65
    /// Something that must be reached or bound cannot be.
    case unavailable = 69
    /// A fault of Storebus.
    case bug = 70
    /// The data directory belongs to another process.
    case locked = 73
    /// It may work when it is started again.
    case temporary = 75
    /// Credentials were not accepted.
    case notAllowed = 77
    /// A setting is missing or wrong.
    case badConfiguration = 78
}

/// `--health`: asks a running instance for its health, over the bus.
///
/// Made for the health checks of containers: a process that only has its port open, or that lost the bus, is unhealthy.
/// The ready file names the instance, so the probe is given the same `--ready-file`, settings and credentials as the
/// process.
enum HealthProbe {
    /// How long connecting and each answer may take. Shorter than any health check's own time limit, so that the probe
    /// can print its reason.
    static let timeLimit: Duration = .seconds(3)

    /// Returns when the instance passes, perhaps with warnings, after its answer was printed.
    ///
    /// - Throws: `unavailable` when it is not ready, does not answer or says `fail`. For wrong settings it throws the
    ///   same as the start of the process.
    static func run(options: ServiceOptions, flags: [String: String]) async throws(StartupError) {
        let settings = try Settings(options: options, flags: flags)
        let instance = try readyFile(settings)
        let address =
            try instance.service == "broker"
            ? BusAddress.storebus(ownBus(instance, settings)) : BusClientService.address(settings)
        let loop: UVLoop
        do throws(UVError) {
            loop = try UVLoop.start(name: "health")
        } catch {
            throw StartupError(.temporary, "\(error)")
        }
        let client = address.connect(
            name: "health", loop: loop, logger: Logger(label: "health") { _ in SwiftLogNoOpLogHandler() })
        let answer = await ask(client, instance)
        await client.close()
        await loop.close()
        print(try answer.get())
    }

    /// Asks the instance. A broker is healthy when it accepts a client and answers it, a service when it reports so.
    private static func ask(
        _ client: any BusClient, _ instance: ReadyFileWriter.Contents
    ) async -> Result<String, StartupError> {
        do {
            try await client.waitUntilConnected(timeout: timeLimit)
            guard instance.service != "broker" else {
                try await client.flush(timeout: timeLimit)
                return .success(#"{"name":"broker","status":"pass"}"#)
            }
            let reply = try await client.request(
                "$SRV.HEALTH.\(instance.service).\(instance.instance)", timeout: timeLimit)
            let health = try StoreJSON.decode(HealthResponse.self, from: reply.body)
            let text = String(decoding: reply.body, as: UTF8.self)
            return health.status == .fail ? .failure(StartupError(.unavailable, text)) : .success(text)
        } catch {
            return .failure(StartupError(error))
        }
    }

    private static func readyFile(_ settings: Settings) throws(StartupError) -> ReadyFileWriter.Contents {
        guard let path = try settings.string("ready.file") else {
            throw StartupError(
                .badConfiguration, "--health needs the --ready-file (READY_FILE) the process was started with")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StartupError(.unavailable, "not ready: there is no \(path)")
        }
        do throws(StoreError) {
            return try StoreJSON.decode(ReadyFileWriter.Contents.self, from: Array(data))
        } catch {
            throw StartupError(.badConfiguration, "\(path) is not a ready file: \(error.message)")
        }
    }

    /// The broker's own address, with the token and the certificate it asks of clients: its own one.
    private static func ownBus(
        _ instance: ReadyFileWriter.Contents, _ settings: Settings
    ) throws(StartupError) -> BusURL {
        let isEverywhere = ["0.0.0.0", "::", ""].contains(instance.host)
        var url = BusURL(host: isEverywhere ? "127.0.0.1" : instance.host, port: instance.port)
        var files = try BusClientService.tlsFiles(settings)
        if files.certificate != nil {
            // The address is this machine's, so the certificate itself is expected and not a name.
            files.authorities = files.certificate
            files.checksName = false
            url.tls = files
        }
        if let path = try settings.string("bus.tokenFile") {
            url.token = try SecretFile.text(path, of: "BUS_TOKEN_FILE")
        }
        return url
    }
}
