import ArgumentParser
import StoreHTTP
import StoreModels

/// Completes words in a shell with data of the store. A store that does not respond in half a second offers
/// nothing.
enum Completion {
    static let products = kind { api, bundleId throws(CLIError) in
        try await api.catalogProducts(bundleId).map(\.productIdentifier)
    }

    static let apps = kind { api, _ throws(CLIError) in try await api.at(nil).all(AppRoutes.list).map(\.bundleId) }

    static let accounts = kind { api, _ throws(CLIError) in try await api.testers().map(\.account) }

    static let transactions = kind { api, _ throws(CLIError) in
        try await api.call(TransactionRoutes.search, query: ["finished": "false", "limit": "100"])
            .transactions.map { Format.name($0) }
    }

    static let subscriptions = kind { api, _ throws(CLIError) in
        try await api.call(SubscriptionRoutes.search, query: ["limit": "100"])
            .subscriptions.map(\.originalTransactionIdentifier)
    }

    static let storefronts = kind { api, _ throws(CLIError) in
        try await api.call(AppRoutes.storefronts).storefronts.map(\.countryCode)
    }

    static let devices = kind { api, _ throws(CLIError) in
        try await api.all(DeviceRoutes.list).map(\.deviceId)
    }

    static let intents = kind { api, _ throws(CLIError) in
        try await api.call(IntentRoutes.search, query: ["limit": "100"])
            .intents.filter { !$0.state.isFinal }.map(\.intentIdentifier)
    }

    static let notifications = kind { api, bundleId throws(CLIError) in
        try await api.call(NotificationRoutes.list, [.bundleId: bundleId], query: ["limit": "100"])
            .notifications.map(\.notificationUUID)
    }

    static let stores = kind { api, _ throws(CLIError) in
        try await api.at(nil).all(IsolatedStoreRoutes.list).open.map(\.store)
    }

    static let storesAndSnapshots = kind { api, _ throws(CLIError) in
        try await api.at(nil).all(IsolatedStoreRoutes.list).filter { $0.state != .removing }
            .map { $0.snapshot ?? $0.store }
    }

    static let services = CompletionKind.list(ServiceList.services)

    private static func kind(
        _ list: @escaping @Sendable (StoreAPI, _ bundleId: String) async throws(CLIError) -> [String]
    ) -> CompletionKind {
        .custom { (words: [String], _: Int, _: String) async -> [String] in await ask(words, list) }
    }

    /// - Parameter words: The command line so far. Its `--url`, `--store`, `--data` and `--bundle-id` apply.
    private static func ask(
        _ words: [String], _ body: @escaping @Sendable (StoreAPI, String) async throws(CLIError) -> [String]
    ) async -> [String] {
        func value(_ name: String) -> String? {
            zip(words, words.dropFirst()).first { $0.0 == name }?.1
        }
        let environment = CommandEnvironment.current
        // The name of a store may be the word that is completed.
        let store = value("--store").flatMap { IsolatedApp.number(ofStore: $0) == nil ? nil : $0 }
        let settings = try? EffectiveSettings.find(
            url: value("--url"), data: value("--data"), store: store, bundleId: value("--bundle-id"), environment)
        guard let settings else { return [] }
        let api = StoreAPI(environment.transport(settings.address.installation), settings)
        return await withTaskGroup(of: [String]?.self) { group in
            group.addTask {
                let app = ((try? await settings.withOnlyApp(api)) ?? settings).bundleId.text
                return (try? await body(api, app)) ?? []
            }
            group.addTask {
                try? await ContinuousClock().sleep(for: environment.completionTimeout)
                return nil
            }
            defer { group.cancelAll() }
            return (await group.next() ?? nil) ?? []
        }
    }
}
