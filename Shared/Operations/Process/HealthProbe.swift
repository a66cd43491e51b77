import BusClient
import BusService
import EventLoop
import Logging
import NATSClient
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
