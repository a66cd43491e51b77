import BusService
import GatewayEdge

/// The areas of the API for apps and their servers.
package struct AppAreas: Sendable {
    /// The open streams. The process ticks and stops them.
    package let delivery: DeliveryHub
    /// All areas for apps, in no particular order.
    package let areas: [any Area]

    /// Creates the areas, and the caches that some of them share.
    /// - Parameters:
    ///   - tokens: Issues the tokens of sessions.
    ///   - catalogTimeout: The longest time requests wait for a shared request to Catalog.
    package init(_ parts: SharedParts, tokens: SessionTokens, catalogTimeout: Duration) {
        let (bus, services, directories, logger) = (parts.bus, parts.services, parts.directories, parts.logger)
        let (apps, accounts) = (directories.apps, directories.accounts)
        let delivery = DeliveryHub(bus: bus, services: services, directories: directories, logger: logger)
        let launches = LaunchRegistrar(services: services, delivery: delivery, logger: logger)
        let intents = IntentArea(services: services, payments: parts.payments)
        let eligibility = EligibilityAnswers(
            loader: EligibilityLoader(bus: bus, services: services), services: services, logger: logger)
        self.delivery = delivery
        areas = [
            SessionArea(
                services: services, directories: directories, environment: parts.environment, tokens: tokens,
                delivery: delivery, launches: launches, now: parts.now),
            ProductArea(
                services: services, accounts: accounts, directory: ProductDirectory(), eligibility: eligibility),
            EligibilityArea(
                services: services, apps: apps, accounts: accounts, answers: eligibility, logger: logger),
            PaymentArea(
                discounts: DiscountChecker(
                    keys: directories.keys, apps: apps, trust: directories.trust, services: services, logger: logger,
                    now: parts.now),
                sender: PaymentSender(bus: bus, payments: parts.payments), intents: intents, services: services),
            TransactionArea(
                services: services, unfinishedLoader: UnfinishedLoader(bus: bus, services: services)),
            StreamArea(bus: bus, services: services, delivery: delivery, launches: launches),
            SubscriptionArea(services: services),
            RestoreArea(services: services),
            DownloadArea(services: services),
            StoreArea(
                accounts: accounts,
                promoted: PromotionDirectory(
                    services: services, versions: directories.versions, timeout: catalogTimeout),
                overrideLoader: OverrideLoader(bus: bus, services: services),
                customerLoader: StorePageCustomerLoader(bus: bus, services: services), eligibility: eligibility,
                logger: logger),
            StorePurchaseArea(services: services, accounts: accounts, launches: launches),
            OverrideArea(
                services: services, accounts: accounts, eligibility: eligibility, launches: launches),
            intents,
            PromotionArea(services: services),
            TestURLArea(services: services),
            ImageArea(services: services),
            DeviceArea(services: services, apps: apps),
            CustomerArea(services: services, eligibility: eligibility),
            AppStoreArea(services: services, directories: directories),
        ]
    }
}
