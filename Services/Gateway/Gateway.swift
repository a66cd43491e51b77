import AppAPI
import BusClient
import BusService
import GatewayEdge
import Logging
import OperatorAPI
import Persistence
import Signing
import StoreModels

/// The gateway between HTTP and the bus. Its only state is keys, caches and open streams.
///
/// The API is a list of areas, in ``AppAreas`` and ``OperatorAreas``. Each has its routes, and the parts that their
/// handlers need. The whole table is ``routes``.
package struct Gateway: Sendable {
    let parts: SharedParts
    let tokens: SessionTokens
    /// The operator's key. Nil when none is configured.
    let adminKey: AdminKey?
    /// The operator's sessions in browsers. Nil without an admin key.
    let console: ConsoleSessions?
    /// The keys of isolated stores. Nil without an admin key.
    let storeKeys: StoreKeys?
    let stores: IsolatedStores
    /// The connection for requests that only the bus's operator may make.
    let operatorBus: OperatorConnection
    let app: AppAreas
    let operators: OperatorAreas
    /// Keeps the spans of requests. Nil keeps none.
    private let spans: SpanKeeper?

    /// - Parameters:
    ///   - adminKey: The operator's key. With nil the operator's routes reject every caller.
    ///   - database: The gateway's own. Its creator closes it.
    ///   - operatorBus: Nil for the gateway's own connection.
    ///   - imports: The imports of `storebus up --init`. Nil for none.
    ///   - spans: Keeps the spans of requests. Nil keeps none.
    ///   - catalogTimeout: The longest time requests wait for a shared request to Catalog.
    ///   - now: The wall clock. Tests pass their own.
    ///   - exposition: The metrics in Prometheus' text form.
    init(
        bus: any BusClient, tokens: SessionTokens, adminKey: AdminKey? = nil, database: any SQLDatabase,
        environment: ReceiptEnvironment = .sandbox, consoleFiles: ConsoleFiles = ConsoleFiles(),
        operatorBus: OperatorConnection? = nil, imports: ImportsAtStart? = nil, spans: SpanKeeper? = nil,
        catalogTimeout: Duration = .seconds(1), now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        exposition: @escaping @Sendable () async -> String = { "" }, logger: Logger
    ) {
        parts = SharedParts(bus: bus, environment: environment, now: now, logger: logger)
        self.spans = spans
        self.tokens = tokens
        self.adminKey = adminKey
        console = adminKey.map { ConsoleSessions(adminKey: $0, sessionKey: tokens.key, now: now) }
        storeKeys = adminKey.map { StoreKeys(adminKey: $0, sessionKey: tokens.key) }
        stores = IsolatedStores(database: database, now: now, logger: logger)
        self.operatorBus = operatorBus ?? OperatorConnection(bus.capabilities) { bus }
        app = AppAreas(parts, tokens: tokens, catalogTimeout: catalogTimeout)
        operators = OperatorAreas(
            parts, operatorBus: self.operatorBus, stores: stores,
            chaosRuns: ChaosRuns(database: database, logger: logger), console: console, storeKeys: storeKeys,
            files: consoleFiles, imports: imports, exposition: exposition)
    }

    /// All routes of the API.
    var routes: [Route] { (app.areas + operators.areas).flatMap { $0.routes } }

    /// Creates the responder for the whole table.
    func responder() -> GatewayResponder {
        GatewayResponder(
            routes,
            authenticator: Authenticator(
                tokens: tokens, adminKey: adminKey, console: console, storeKeys: storeKeys,
                keys: parts.directories.keys),
            stores: stores, spans: spans, logger: parts.logger)
    }
}
