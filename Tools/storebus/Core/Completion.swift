import ArgumentParser
import StoreHTTP
import StoreModels

/// Completes words in a shell with data of the store. A store that does not respond in half a second offers
/// nothing.
enum Completion {
    static let products = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, bundleId throws(CLIError) in
            try await api.catalogProducts(bundleId, storefront: "USA").map(\.productIdentifier)
        }
    }

    static let accounts = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in try await api.testers().map(\.account) }
    }

    static let transactions = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in
            try await api.transactions(TransactionListRequest(isFinished: false)).transactions.map { Format.name($0) }
        }
    }

    static let subscriptions = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in
            try await api.subscriptions(SubscriptionListRequest()).subscriptions.map(\.originalTransactionIdentifier)
        }
    }

    static let storefronts = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in try await api.storefronts().map(\.countryCode) }
    }

    static let devices = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in try await api.devices().map(\.deviceId) }
    }

    static let intents = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, _ throws(CLIError) in
            try await api.intents(IntentListRequest()).intents.filter { !$0.state.isFinal }.map(\.intentIdentifier)
        }
    }

    static let notifications = CompletionKind.custom { (words: [String], _: Int, _: String) async -> [String] in
        await ask(words) { api, bundleId throws(CLIError) in
            try await api.notifications(NotificationsRequest(bundleId: bundleId)).notifications.map(\.notificationUUID)
        }
    }

    static let services = CompletionKind.list(ServiceList.services)

    /// - Parameter words: The command line so far; its `--url`, `--data` and `--bundle-id` apply.
    private static func ask(
        _ words: [String], _ body: @escaping @Sendable (StoreAPI, String) async throws(CLIError) -> [String]
    ) async -> [String] {
        func value(_ name: String) -> String? {
            zip(words, words.dropFirst()).first { $0.0 == name }?.1
        }
        let environment = CommandEnvironment.current
        let settings = EffectiveSettings.find(
            url: value("--url"), data: value("--data"), bundleId: value("--bundle-id"), environment)
        let api = StoreAPI(
            transport: environment.transport(settings.url.text), url: settings.url.text,
            adminKey: settings.adminKey?.text)
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
