import BusClient
import BusService
import EventLoop
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import Signing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// The default port.
    package static let defaultPort = 7430

    /// Builds the services of a gateway process except its bus connection, in order of start. They stop in the opposite
    /// order, so streams end before the server waits for its connections.
    /// - Throws: ``StartupError``.
    package static func build(_ environment: ServiceEnvironment) async throws -> [any ServiceLifecycle.Service] {
        let settings = try GatewaySettings(environment.configuration, dataDirectory: environment.dataDirectory)
        if settings.adminKey == nil {
            environment.logger.warning(
                "no admin key, so the operator's paths answer 401; set STOREBUS_ADMIN_KEY or STOREBUS_ADMIN_KEY_FILE"
            )
        }
        let keys = KeyStore(
            database: try await environment.openDatabase(GatewaySchema.migrations), logger: environment.logger)
        environment.service.healthCheck(of: keys.database)
        let tokens = await SessionTokens(key: settings.sessionKey)
        let operatorLoop = try UVLoop.start(name: "operator")
        let connect = try environment.process.busConnector(
            name: "gateway-operator", on: operatorLoop, secret: settings.operatorToken)
        let gateway = Gateway(
            bus: environment.bus, tokens: tokens, adminKey: settings.adminKey, keys: keys,
            environment: settings.environment, consoleFiles: ConsoleFiles(directory: settings.consoleDirectory),
            operatorBus: OperatorConnection(environment.bus.capabilities, loop: operatorLoop, connect: connect),
            exposition: { [metrics = environment.metrics] in metrics.text() }, logger: environment.logger)
        try await gateway.publishRoot(in: environment.dataDirectory)
        let port = environment.port ?? defaultPort
        // Notifications are signed as soon as the bus is there, which may be before the port is.
        gateway.signing.setPublicURL(settings.publicURL ?? "http://127.0.0.1:\(port)")
        gateway.register(on: environment.service)
        let ready = environment.ready
        ready.expectListener()
        let responder = gateway.responder()
        let placement = LoopPlacement(loop: settings.handlersOnBusLoop ? environment.loop : nil)
        let admission = Admission(gateway.routes.map(\.operation), logger: environment.logger)
        let server = GatewayServer(
            responder: responder, host: environment.host, port: port, placement: placement, admission: admission,
            logger: environment.logger,
            onListening: { [host = environment.host, logger = environment.logger] port in
                logger.info("listening", metadata: ["port": "\(port)"])
                gateway.signing.setPublicURL(settings.publicURL ?? "http://127.0.0.1:\(port)")
                try ready.listening(host: host, port: port)
            })
        var services: [any ServiceLifecycle.Service] = [
            keys.database, gateway.operatorBus, server,
            DeliveryService(hub: gateway.delivery, waits: gateway.eventWaits),
            StoreRemover(stores: gateway.stores, services: gateway.services),
        ]
        if let httpsPort = settings.httpsPort {
            let identity = try await gateway.signing.authority().serverIdentity(
                hosts: HTTPSHosts.all(publicURL: settings.publicURL, more: settings.httpsHosts), now: Date())
            services.append(
                GatewayServer(
                    responder: responder, host: environment.host, port: httpsPort,
                    tls: try TLSContext(chain: identity.chain, key: identity.key), placement: placement,
                    admission: admission, logger: environment.logger,
                    onListening: { [logger = environment.logger] port in
                        logger.info("listening for HTTPS", metadata: ["port": "\(port)"])
                    }))
        }
        return services
    }

    /// Creates the responder for the whole table.
    func responder(metrics: HTTPMetrics = HTTPMetrics()) -> GatewayResponder {
        GatewayResponder(
            table: RouteTable(routes),
            authenticator: Authenticator(
                tokens: tokens, adminKey: adminKey, console: console, keys: keys,
                serverAPI: ServerAPITokens(keys: keys, apps: serverApps, now: now)),
            stores: stores, metrics: metrics, logger: logger)
    }
}
