import BusClient
import EventLoop
import Logging
import NATSClient
import ServiceLifecycle

/// The process's bus client as a service of the group. It starts before all services that use the bus and ends after
/// them.
struct BusConnection: ServiceLifecycle.Service {
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
    /// - Parameter credentials: The setting of a file whose secret is used instead, if it is set.
    /// - Throws: `badConfiguration` for an unreadable URL or credentials file.
    static func address(
        _ settings: Settings, credentials: String = "bus.credentialsFile"
    ) throws(StartupError) -> BusAddress {
        let text = try settings.string("bus.url", default: BusURL().description)
        var address: BusAddress
        do throws(BusError) {
            address = try BusAddress(parsing: text)
        } catch {
            throw StartupError(error)
        }
        for setting in [credentials, "bus.credentialsFile"] {
            guard let path = try settings.string(setting) else { continue }
            address.add(secret: try SecretFile.text(path, of: Settings.variable(for: setting)))
            break
        }
        return address
    }
}

extension ProcessEnvironment {
    /// Returns what creates a further client of the bus, which has begun to connect.
    /// - Parameters:
    ///   - name: As the bus shows the connection.
    ///   - loop: The loop of the connection.
    ///   - credentials: The setting of the file with the client's own secret; without it the secret is the process's.
    /// - Throws: `badConfiguration` for an unreadable URL or credentials file.
    package func busConnector(
        name: String, on loop: UVLoop, credentials: String
    ) throws(StartupError) -> @Sendable () -> any BusClient {
        let address = try BusConnection.address(configuration, credentials: credentials)
        return { [logger] in address.connect(name: name, loop: loop, logger: logger) }
    }
}
