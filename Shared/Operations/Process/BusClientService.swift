import BusClient
import EventLoop
import Logging
import NATSClient
import ServiceLifecycle

/// The process's bus client as a service of the group. It starts before all services that use the bus and ends after
/// them.
struct BusClientService: ServiceLifecycle.Service {
    let bus: any BusClient
    let logger: Logger

    /// Waits for the shutdown, then drains the client.
    func run() async throws {
        try? await gracefulShutdown()
        let report = await bus.drain()
        if report.isClean { return }
        logger.warning(
            "left the bus with things unfinished",
            metadata: [
                "requests": "\(report.requests)", "events": "\(report.events)", "flushed": "\(report.isFlushed)",
            ])
    }

    /// Creates a client for `BUS_URL` that has begun to connect.
    /// - Throws: `badConfiguration` for an unreadable URL or credentials file.
    static func open(_ process: ProcessEnvironment) async throws(StartupError) -> any BusClient {
        try address(process.configuration)
            .connect(name: process.name, instance: process.instance, loop: process.loop, logger: process.logger)
    }

    /// The address of `BUS_URL`, with the secret of `BUS_CREDENTIALS_FILE`.
    /// - Throws: `badConfiguration` for an unreadable URL, credentials file or file for TLS.
    static func address(_ settings: Settings) throws(StartupError) -> BusAddress {
        let text = try settings.string("bus.url", default: BusURL().description)
        var address: BusAddress
        do throws(BusError) {
            address = try BusAddress(parsing: text)
        } catch {
            throw StartupError(error)
        }
        let files = try tlsFiles(settings)
        do throws(BusError) {
            try address.add(tls: files)
        } catch {
            throw StartupError(.badConfiguration, error.message)
        }
        if let path = try settings.string("bus.credentialsFile") {
            address.add(secret: try SecretFile.text(path, of: "BUS_CREDENTIALS_FILE"))
        }
        return address
    }
}

extension BusClientService {
    /// The files of `BUS_TLS_CA`, `BUS_TLS_CERT` and `BUS_TLS_KEY`.
    static func tlsFiles(_ settings: Settings) throws(StartupError) -> TLSFiles {
        TLSFiles(
            authorities: try settings.string("bus.tls.ca"), certificate: try settings.string("bus.tls.cert"),
            key: try settings.string("bus.tls.key"))
    }
}

extension ProcessEnvironment {
    /// The broker's files of `BUS_TLS_CA`, `BUS_TLS_CERT` and `BUS_TLS_KEY`. Nil without any of them.
    package func busTLSFiles() throws(StartupError) -> TLSFiles? {
        let files = try BusClientService.tlsFiles(configuration)
        return files == TLSFiles() ? nil : files
    }

    /// Returns a function that creates and connects a further client of the bus.
    /// - Parameters:
    ///   - name: As the bus shows the connection.
    ///   - loop: The loop of the connection.
    ///   - secret: The client's own, or nil for the process's.
    /// - Throws: `badConfiguration` for an unreadable URL or credentials file.
    package func busConnector(
        name: String, on loop: UVLoop, secret: String?
    ) throws(StartupError) -> @Sendable () -> any BusClient {
        var address = try BusClientService.address(configuration)
        if let secret { address.add(secret: secret) }
        return { [logger, address] in address.connect(name: name, loop: loop, logger: logger) }
    }
}
