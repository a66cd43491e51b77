import GatewayEdge

/// The areas of the API for the operator.
package struct OperatorAreas: Sendable {
    /// The waits for events and the open streams of events and taps.
    package let eventWaits: EventWaits
    package let areas: [any Area]

    /// Makes all areas.
    /// - Parameters:
    ///   - console: The operator's sessions in browsers. Nil without an admin key.
    ///   - storeKeys: The keys of isolated stores. Nil without an admin key.
    ///   - files: The files of the web console.
    ///   - imports: The imports of `storebus up --init`. Nil for none.
    ///   - exposition: Returns the metrics in Prometheus' text form.
    package init(
        _ parts: SharedParts, operatorBus: OperatorConnection, stores: IsolatedStores, chaosRuns: ChaosRuns,
        console: ConsoleSessions?, storeKeys: StoreKeys?, files: ConsoleFiles, imports: ImportsAtStart?,
        exposition: @escaping @Sendable () async -> String
    ) {
        let (bus, services, directories) = (parts.bus, parts.services, parts.directories)
        let waits = EventWaits()
        let outside = OutsidePurchaseArea(
            services: services, apps: directories.apps, sender: PaymentSender(bus: bus, payments: parts.payments))
        eventWaits = waits
        areas = [
            AdminArea(services: services, directories: directories, deletions: AppDeletions(stores)),
            OperatingArea(services: services),
            CatalogArea(services: services),
            UpkeepArea(services: services, directories: directories),
            ContentArea(services: services),
            KeyArea(services: services, directories: directories),
            ClockArea(services: services, directories: directories),
            TesterArea(services: services, storefronts: directories.storefronts),
            PromptArea(services: services, logger: parts.logger),
            outside,
            OfferCodeArea(services: services, directories: directories),
            FamilyArea(services: services, directories: directories),
            SubscriptionOperatingArea(services: services),
            NotificationArea(services: services, directories: directories),
            TriggerArea(services: services, directories: directories, outside: outside),
            BusArea(bus: bus, operatorBus: operatorBus, waits: waits, console: console, now: parts.now),
            FaultArea(operatorBus: operatorBus),
            ChaosRunArea(runs: chaosRuns),
            EventArea(
                bus: bus, services: services, waits: waits, console: console, now: parts.now, logger: parts.logger),
            MonitoringArea(
                bus: bus, services: services, apps: directories.apps, address: parts.address, imports: imports,
                exposition: exposition),
            TraceArea(bus: bus),
            IsolatedStoreArea(
                stores: stores, services: services, storeKeys: storeKeys, address: parts.address),
            ConsoleArea(console: console, files: files),
        ]
    }
}
