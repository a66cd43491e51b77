import AppAPI
import BusClient
import BusService
import EventLoop
import FoundationEssentials
import GatewayEdge
import Logging
import Operations
import OperatorAPI
import Persistence
import ServiceDatabase
import ServiceLifecycle

extension Gateway {
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
        let database = try await environment.openDatabase(GatewaySchema.migrations)
        environment.service.healthCheck(of: database)
        let tokens = SessionTokens(key: settings.sessionKey)
        let operatorLoop = try UVLoop.start(name: "operator")
        let connect = try environment.process.busConnector(
            name: "gateway-operator", on: operatorLoop, secret: settings.operatorToken)
        let gateway = Gateway(
            bus: environment.bus, tokens: tokens, adminKey: settings.adminKey, database: database,
            environment: settings.environment, consoleFiles: ConsoleFiles(directory: settings.consoleDirectory),
            operatorBus: OperatorConnection(environment.bus.capabilities, loop: operatorLoop, connect: connect),
            imports: settings.importsFile.map { ImportsAtStart(file: $0) }, spans: environment.service.spans,
            exposition: { [metrics = environment.metrics] in metrics.text() }, logger: environment.logger)
        let port = environment.port ?? PublicAddress.defaultPort
        let ready = environment.ready
        ready.expectListener()
        let responder = gateway.responder()
        let placement = LoopPlacement(loop: settings.handlersOnBusLoop ? environment.loop : nil)
        let admission = Admission(gateway.routes, logger: environment.logger)
        let caller = gateway.parts.services
        let announcement = AddressAnnouncement(
            address: gateway.parts.address, services: caller, logger: environment.logger)
        let server = GatewayServer(
            responder: responder, host: environment.host, port: port, placement: placement, admission: admission,
            logger: environment.logger,
            onListening: { [host = environment.host, logger = environment.logger] port in
                logger.info("listening", metadata: ["port": "\(port)"])
                await announcement.begin(at: settings.publicURL ?? "http://127.0.0.1:\(port)")
                try ready.listening(host: host, port: port)
            })
        var services: [any ServiceLifecycle.Service] = [
            database, gateway.operatorBus, server,
            LiveDeliveryService(hub: gateway.app.delivery, waits: gateway.operators.eventWaits),
            StoreRemover(stores: gateway.stores, services: caller),
            AppRemover(stores: gateway.stores, services: caller),
            announcement,
        ]
        services += gateway.parts.directories.versions.recalls
        if let httpsPort = settings.httpsPort {
            services.append(
                CertifiedServer(
                    hosts: HTTPSHosts.all(publicURL: settings.publicURL, more: settings.httpsHosts),
                    services: caller, logger: environment.logger
                ) { [host = environment.host, logger = environment.logger] tls in
                    GatewayServer(
                        responder: responder, host: host, port: httpsPort, tls: tls, placement: placement,
                        admission: admission, logger: logger,
                        onListening: { port in
                            logger.info("listening for HTTPS", metadata: ["port": "\(port)"])
                        })
                })
        }
        return services
    }
}
