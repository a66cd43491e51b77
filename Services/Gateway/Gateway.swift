import BusClient
import BusService
import Logging
import Signing
import StoreModels

/// The gateway: HTTP on one side, the bus on the other, nothing of its own in between but keys and open streams.
///
/// Holds what handlers need; each area of the API is an extension beside its handlers (`Gateway+Products.swift`, …)
/// with a list of its routes, and ``routes`` is the whole table.
package final class Gateway: Sendable {
    let bus: any BusClient
    /// Repeats what is safe to repeat: the gateway is the caller nearest the client.
    let services: ServiceCaller
    /// Never repeats: for payments, whose first unknown outcome the client must hear of.
    let payments: ServiceCaller
    let tokens: SessionTokens
    let keys: KeyStore
    let signing: SigningKeys
    /// Which of the App Store's worlds this is, for receipts.
    let environment: ReceiptEnvironment
    let storefronts: StorefrontDirectory
    let apps: AppDirectory
    let accounts: AccountDirectory
    let products: ProductDirectory
    let eligibilityQuestions: EligibilityQuestions
    let promoted: PromotionDirectory
    let delivery: DeliveryHub
    let eventWaits = EventWaits()
    /// The wall clock, by which sessions end and apps' servers sign; tests pass their own.
    let now: @Sendable () -> Timestamp
    let exposition: @Sendable () async -> String
    let logger: Logger

    /// - Parameters:
    ///   - catalogPatience: How long many requests wait for one that asks Catalog.
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
        self.signing = SigningKeys(database: keys.database)
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

    /// Every path and method there is.
    var routes: [Route] {
        sessionRoutes + productRoutes + paymentRoutes + transactionRoutes + restoreRoutes + downloadRoutes
            + subscriptionRoutes + storeRoutes + storePurchaseRoutes + overrideRoutes + intentRoutes + adminRoutes
            + contentRoutes + operatingRoutes
            + subscriptionOperatingRoutes + clockRoutes + serviceRoutes + upkeepRoutes + priceRoutes
            + promotionRoutes + imageRoutes + testURLRoutes + deviceRoutes + keyRoutes + testerRoutes + promptRoutes
            + eventRoutes + customerRoutes + receiptRoutes
            + monitoringRoutes + laterRoutes
    }
}
