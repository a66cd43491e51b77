import BusClient
import BusService
import Logging
import Signing
import StoreModels

/// The gateway between HTTP and the bus; its only state is keys and open streams.
///
/// It holds what handlers need; each area of the API is an extension next to its handlers (`Gateway+Products.swift`, …)
/// with a list of its routes, and ``routes`` is the whole table.
package final class Gateway: Sendable {
    let bus: any BusClient
    /// Retries safe requests: the gateway is the caller nearest to the client.
    let services: ServiceCaller
    /// Never retries: for payments, where the client must learn of the first unknown outcome.
    let payments: ServiceCaller
    let tokens: SessionTokens
    let keys: KeyStore
    let signing: SigningKeys
    /// The receipt environment.
    let environment: ReceiptEnvironment
    let storefronts: StorefrontDirectory
    let apps: AppDirectory
    let accounts: AccountDirectory
    let products: ProductDirectory
    let eligibilityQuestions: EligibilityQuestions
    let promoted: PromotionDirectory
    let delivery: DeliveryHub
    let eventWaits = EventWaits()
    /// The wall clock, which decides about sessions and the signatures of apps' servers. Tests pass their own.
    let now: @Sendable () -> Timestamp
    let exposition: @Sendable () async -> String
    let logger: Logger

    /// - Parameters:
    ///   - catalogPatience: How long requests wait for a shared request to Catalog.
    ///   - now: The wall clock; tests pass their own.
    ///   - exposition: The metrics in Prometheus' text form.
    init(
        bus: any BusClient, tokens: SessionTokens, keys: KeyStore, environment: ReceiptEnvironment = .sandbox,
        catalogPatience: Duration = .seconds(1), now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        exposition: @escaping @Sendable () async -> String = { "" }, logger: Logger
    ) {
        let services = ServiceCaller(bus: bus, caller: "gateway", retries: true)
        self.bus = bus
        self.services = services
        self.payments = ServiceCaller(bus: bus, caller: "gateway")
        self.tokens = tokens
        self.keys = keys
        self.signing = SigningKeys(database: keys.database, logger: logger)
        self.environment = environment
        let storefronts = StorefrontDirectory(services: services)
        let versions = CurrentVersions(services: services)
        let accounts = AccountDirectory(services: services, versions: versions, logger: logger)
        self.storefronts = storefronts
        self.accounts = accounts
        self.apps = AppDirectory(services: services)
        self.products = ProductDirectory()
        self.eligibilityQuestions = EligibilityQuestions(bus: bus, services: services)
        self.promoted = PromotionDirectory(services: services, versions: versions, patience: catalogPatience)
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
            + contentRoutes + operatingRoutes
            + subscriptionOperatingRoutes + clockRoutes + serviceRoutes + upkeepRoutes + priceRoutes
            + promotionRoutes + imageRoutes + testURLRoutes + deviceRoutes + keyRoutes + testerRoutes + promptRoutes
            + eventRoutes + customerRoutes + receiptRoutes
            + monitoringRoutes + appleServerRoutes
    }
}
