import BusService
import Foundation
import Persistence
import StoreModels
import StorebusTesting

/// A customer's device with an app on it, and the store's own app.
struct Phone: Sendable {
    let store: PromotionTestStore
    let device: String
    let customer: String
    let bundleId: String

    var installation: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: device) }
    /// The device, as an operator names it.
    var named: ScopedIdentifier { ScopedIdentifier(device, in: IsolationScope(of: bundleId)) }
    private var account: String { customer.replacing("c_", with: "") }

    func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, within time: Duration = .seconds(30)
    ) async throws -> Response {
        try await store.caller.call(endpoint, request, context: CallContext(deadline: .now + time))
    }

    func launch(
        version: String = "1.0", _ handler: DeviceLaunch.PromotedPurchases = .delegate,
        platform: DeviceLaunch.Platform = .iOS, osVersion: String = "17.4"
    ) async throws {
        _ = try await call(
            PromotionEndpoints.deviceLaunched,
            DeviceLaunch(
                bundleId: bundleId, deviceId: device, platform: platform, osVersion: osVersion, appVersion: version,
                promotedPurchases: handler))
    }

    /// The App Store app is opened on it.
    func openStore(platform: DeviceLaunch.Platform = .iOS, osVersion: String = "17.4") async throws {
        _ = try await call(
            PromotionEndpoints.putDevice,
            PutDeviceRequest(named, platform: platform, osVersion: osVersion))
    }

    func install(version: String, _ handler: DeviceLaunch.PromotedPurchases? = nil) async throws {
        _ = try await call(
            PromotionEndpoints.putInstallation,
            PutInstallationRequest(
                bundleId: bundleId, deviceId: device, version: version, promotedPurchases: handler))
    }

    func delete() async throws {
        _ = try await call(PromotionEndpoints.deleteInstallation, installation)
    }

    func state() async throws -> Device {
        try await call(PromotionEndpoints.getDevice, named)
    }

    // MARK: Overrides

    func promotions() async throws -> DevicePromotions {
        let batch = OverridesBatch(installations: [installation])
        return try await call(PromotionEndpoints.getManyOverrides, batch).promotions[0]
    }

    @discardableResult
    func setOrder(_ products: [String]) async throws -> PromotionOverrides {
        try await call(
            PromotionEndpoints.putOrder,
            PutPromotionOrderRequest(bundleId: bundleId, deviceId: device, productIdentifiers: products))
    }

    @discardableResult
    func set(_ visibility: StorePromotionVisibility, of product: String) async throws -> PromotionOverrides {
        try await call(
            PromotionEndpoints.putVisibility,
            PutPromotionVisibilityRequest(
                bundleId: bundleId, deviceId: device, productIdentifier: product, visibility: visibility))
    }

    // MARK: Purchases

    func start(
        _ product: String = "coins", source: StorePurchaseIntent.Source = .storePage, offer: String? = nil,
        key: String = UUID().uuidString, facts change: (inout PromotedProductFacts) -> Void = { _ in }
    ) async throws -> StartPurchaseReply {
        var facts = PromotedProductFacts.coins
        facts.product.productIdentifier = product
        change(&facts)
        return try await call(
            PromotionEndpoints.startPurchase,
            StartPurchaseRequest(
                bundleId: bundleId, deviceId: device, customerIdentifier: customer, account: account, source: source,
                facts: facts, offer: offer, requestIdentifier: key))
    }

    /// Begins a purchase.
    /// - Returns: the intent's identifier.
    func begin(_ product: String = "coins", source: StorePurchaseIntent.Source = .storePage) async throws -> String {
        guard let identifier = try await start(product, source: source).intentIdentifier else {
            throw StoreError(.internal, "a purchase without an intent")
        }
        return identifier
    }

    /// What a stream is given.
    @discardableResult
    func deliver() async throws -> DeliverIntentsReply {
        try await call(
            PromotionEndpoints.deliverIntents,
            DeliverIntentsRequest(bundleId: bundleId, deviceId: device, customerIdentifier: customer))
    }

    @discardableResult
    func decide(
        _ decision: DecideIntentRequest.Decision, _ intent: String, feedback: String? = nil,
        within time: Duration = .seconds(30)
    ) async throws -> DecideIntentReply {
        try await call(
            PromotionEndpoints.decideIntent,
            DecideIntentRequest(
                bundleId: bundleId, deviceId: device, customerIdentifier: customer, intentIdentifier: intent,
                decision: decision, feedback: feedback), within: time)
    }

    /// Adds the saved payment, as an app does with a key of its own.
    @discardableResult
    func add(
        _ intent: String, key: String, product: String = "coins", offer: String? = nil,
        change: (inout Payment) -> Void = { _ in }
    ) async throws -> DecideIntentReply {
        var payment = Payment(requestIdentifier: key, productIdentifier: product, intentIdentifier: intent)
        change(&payment)
        return try await call(
            PromotionEndpoints.addIntentPayment,
            AddIntentPaymentRequest(
                bundleId: bundleId, deviceId: device, customerIdentifier: customer, payment: payment,
                offer: offer))
    }

    func get(_ intent: String) async throws -> StorePurchaseIntent {
        try await call(
            PromotionEndpoints.getIntent,
            IntentRequest(
                bundleId: bundleId, deviceId: device, customerIdentifier: customer, intentIdentifier: intent))
    }

    func intents(_ states: StorePurchaseIntent.State...) async throws -> [StorePurchaseIntent] {
        try await call(
            PromotionEndpoints.listIntents,
            IntentsRequest(bundleId: bundleId, deviceId: device, customerIdentifier: customer, states: states)
        ).intents
    }

    func head() async throws -> Int64 {
        try await call(PromotionEndpoints.intentHeads, IntentHeadsRequest(installations: [installation])).heads[0]
    }
}

extension PromotionTestStore {
    func phone(
        _ device: String = "alice-1", of account: String = "alice", bundleId: String = PromotionTestStore.bundleId
    ) -> Phone {
        Phone(store: self, device: device, customer: "c_\(account)", bundleId: bundleId)
    }

    /// A device on which the app was launched.
    func launchedPhone(_ device: String = "alice-1", of account: String = "alice") async throws -> Phone {
        let phone = phone(device, of: account)
        try await phone.launch()
        return phone
    }

    /// The operator's list.
    func search(
        account: String? = nil, device: String? = nil, state: StorePurchaseIntent.State? = nil, after: String? = nil,
        limit: Int = 100, bundleId: String? = nil
    ) async throws -> IntentsPage {
        try await caller.call(
            PromotionEndpoints.searchIntents,
            IntentListRequest(
                bundleId: bundleId, account: account, deviceId: device, state: state, after: after, limit: limit),
            context: CallContext(deadline: .now + .seconds(30)))
    }

    func prompts(of account: String? = nil, in scope: IsolationScope = .installation) async throws -> [Prompt] {
        try await caller.call(
            PromotionEndpoints.listPrompts, PromptsRequest(account: account, bundleId: scope.bundleId)
        ).prompts
    }

    @discardableResult
    func answer(
        _ id: String, _ answer: Prompt.Answer, in scope: IsolationScope = .installation
    ) async throws -> Prompt {
        try await caller.call(
            PromotionEndpoints.answerPrompt, AnswerPromptRequest(ScopedIdentifier(id, in: scope), answer: answer))
    }

    func devices(
        in scope: IsolationScope = .installation, after: String? = nil, limit: Int = 100
    ) async throws -> DevicesPage {
        try await caller.call(
            PromotionEndpoints.listDevices, PageRequest(in: scope, after: after, limit: limit))
    }

    func events(
        after: String?, type: IntentEvent.Kind? = nil, account: String? = nil, bundleId: String? = nil, limit: Int = 100
    ) async throws -> IntentEventsReply {
        try await caller.call(
            PromotionEndpoints.listEvents,
            IntentEventsRequest(after: after, type: type, account: account, bundleId: bundleId, limit: limit))
    }

    /// The position behind all events so far. On PostgreSQL they can be read as soon as no older transaction of the
    /// server is under way, other tests' included.
    func position() async throws -> String {
        let dialect = database.dialect
        try await eventually("all events so far can be read") {
            guard dialect == .postgres else { return true }
            return try await database.read { reader in
                try await reader.query(
                    "SELECT position FROM intent_event WHERE xact >= \(dialect.oldestTransaction) LIMIT 1"
                ).isEmpty
            }
        }
        return try await events(after: nil).after
    }

    /// The first `count` events behind a position, as soon as they can be read.
    func events(after: String, count: Int) async throws -> [IntentEvent] {
        var seen: [IntentEvent] = []
        try await eventually("\(count) events can be read") {
            seen = try await events(after: after).events
            return seen.count >= count
        }
        return seen
    }
}

extension PromotedProductFacts {
    /// A promoted product of a free app.
    static var coins: PromotedProductFacts {
        guard let currency = Currency(code: "USD") else { preconditionFailure("USD is a currency") }
        return PromotedProductFacts(
            product: Product(
                productIdentifier: "coins", type: .consumable, localizedTitle: "Coins", localizedDescription: "A few.",
                price: Money(minorUnits: 99, currency: currency), priceLocale: "en_US@currency=USD"),
            isPromoted: true, isAvailable: true, appPrice: nil, currentVersion: "1.0", promotionsSupportedSince: nil)
    }

    mutating func charge(forApp minorUnits: Int64) {
        appPrice = Money(minorUnits: minorUnits, currency: product.price.currency)
    }
}
