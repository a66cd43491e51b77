import BusClient
import BusService
import Logging
import Persistence
import Signing
import StoreModels

/// The gateway between HTTP and the bus. Its only state is keys, caches and open streams.
///
/// It holds the parts that handlers need. Each area of the API is an extension (`Gateway+Products.swift`, …) with its
/// handlers and a list of its routes. The whole table is ``routes``.
package final class Gateway: Sendable {
    let bus: any BusClient
    /// The connection for requests that only the bus's operator may make.
    let operatorBus: OperatorConnection
    /// Calls services, and retries safe requests: the gateway is the caller nearest to the client.
    let services: ServiceCaller
    /// Calls services without retries, for payments. Their client must learn of the first unknown outcome.
    let payments: ServiceCaller
    let tokens: SessionTokens
    /// The operator's key. Nil when none is configured.
    let adminKey: AdminKey?
    /// The operator's sessions in browsers. Nil without an admin key.
    let console: ConsoleSessions?
    let consoleFiles: ConsoleFiles
    let keys: KeyDirectory
    /// The gateway's address as clients reach it.
    let address: PublicAddress
    let stores: IsolatedStores
    let chaosRuns: ChaosRuns
    /// The receipt environment.
    let environment: ReceiptEnvironment
    let storefronts: StorefrontDirectory
    let apps: AppDirectory
    let accounts: AccountDirectory
    let products: ProductDirectory
    let eligibilityLoader: EligibilityLoader
    let overrideLoader: OverrideLoader
    let unfinishedLoader: UnfinishedLoader
    let storePageCustomerLoader: StorePageCustomerLoader
    let promoted: PromotionDirectory
    let delivery: DeliveryHub
    let eventWaits = EventWaits()
    /// The wall clock, for the expiry of sessions and the signatures of apps' servers.
    let now: @Sendable () -> Timestamp
    /// The metrics in Prometheus' text form.
    let exposition: @Sendable () async -> String
    let logger: Logger

    /// - Parameters:
    ///   - adminKey: The operator's key. With nil the operator's routes reject every caller.
    ///   - database: The gateway's own. Its creator closes it.
    ///   - operatorBus: Nil for the gateway's own connection.
    ///   - catalogTimeout: The longest time requests wait for a shared request to Catalog.
    ///   - now: The wall clock. Tests pass their own.
    ///   - exposition: The metrics in Prometheus' text form.
    init(
        bus: any BusClient, tokens: SessionTokens, adminKey: AdminKey? = nil, database: any SQLDatabase,
        environment: ReceiptEnvironment = .sandbox, consoleFiles: ConsoleFiles = ConsoleFiles(),
        operatorBus: OperatorConnection? = nil,
        catalogTimeout: Duration = .seconds(1), now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        exposition: @escaping @Sendable () async -> String = { "" }, logger: Logger
    ) {
        let services = ServiceCaller(bus: bus, caller: "gateway", retries: true)
        self.bus = bus
        self.operatorBus = operatorBus ?? OperatorConnection(bus.capabilities) { bus }
        self.services = services
        self.payments = ServiceCaller(bus: bus, caller: "gateway")
        self.tokens = tokens
        self.adminKey = adminKey
        self.console = adminKey.map { ConsoleSessions(adminKey: $0, sessionKey: tokens.key, now: now) }
        self.consoleFiles = consoleFiles
        self.keys = KeyDirectory(services: services)
        self.address = PublicAddress("http://127.0.0.1:\(Self.defaultPort)")
        self.stores = IsolatedStores(database: database, now: now, logger: logger)
        self.chaosRuns = ChaosRuns(database: database, logger: logger)
        self.environment = environment
        let storefronts = StorefrontDirectory(services: services, from: CatalogEndpoints.listStorefronts)
        let versions = CurrentVersions(services: services)
        let accounts = AccountDirectory(services: services, versions: versions, logger: logger)
        self.storefronts = storefronts
        self.accounts = accounts
        self.apps = AppDirectory(services: services)
        self.products = ProductDirectory()
        self.eligibilityLoader = EligibilityLoader(bus: bus, services: services)
        self.overrideLoader = OverrideLoader(bus: bus, services: services)
        self.unfinishedLoader = UnfinishedLoader(bus: bus, services: services)
        self.storePageCustomerLoader = StorePageCustomerLoader(bus: bus, services: services)
        self.promoted = PromotionDirectory(services: services, versions: versions, timeout: catalogTimeout)
        self.delivery = DeliveryHub(
            bus: bus, services: services, storefronts: storefronts, accounts: accounts, logger: logger)
        self.now = now
        self.exposition = exposition
        self.logger = logger
    }

    /// All routes of the API.
    var routes: [Route] {
        sessionRoutes + productRoutes + paymentRoutes + transactionRoutes + restoreRoutes + downloadRoutes
            + subscriptionRoutes + storeRoutes + storePurchaseRoutes + overrideRoutes + intentRoutes + adminRoutes
            + contentRoutes + operatingRoutes + subscriptionOperatingRoutes + clockRoutes + upkeepRoutes
            + promotionRoutes + imageRoutes + deviceRoutes + keyRoutes + testerRoutes + promptRoutes + eventRoutes
            + customerRoutes + monitoringRoutes + appStoreRoutes + notificationRoutes + appleServerRoutes
            + isolatedStoreRoutes + consoleRoutes + busRoutes + faultRoutes + chaosRunRoutes
    }
}
