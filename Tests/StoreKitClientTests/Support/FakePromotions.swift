import StoreModels

@testable import StoreKitClient

/// The store's side of promoted purchases: a stream that tells of them, answers to decisions, and one device's
/// overrides.
final class FakePromotions: Sendable {
    private struct Order: Encodable {
        var productIdentifiers: [String]
        var products: [StoreModels.Product]
    }

    private struct Visibility: Encodable {
        var productIdentifier: String
        var visibility: String
        var products: [StoreModels.Product]
    }

    private struct Decided: Encodable {
        var intent: StorePurchaseIntent
        var transaction: PaymentTransaction?
    }

    private struct Promoted: Encodable {
        var seq = 1
        var intent: StorePurchaseIntent
    }

    let gateway: FakeGateway
    let stream = FakeStream.beginning()
    let products: [StoreModels.Product]
    private let overrides = LockedValue(PromotionOverrides())

    /// Answers for three products and for every decision.
    init() throws {
        gateway = try FakeGateway()
        products = try ["hiddenBeaches", "pro", "fishingHotSpots"].map {
            try StoreModels.Product.sample("com.example.\($0)")
        }
        gateway.on("GET /v1/transactions/stream") { [stream] _ in .stream(stream) }
        gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        gateway.on("POST /v1/intents/*/decision") { [stream] in Self.decide($0, stream) }
        gateway.on("POST /v1/payments") { [stream] in .purchase("t-\($0.key ?? "")", key: $0.key ?? "", stream) }
        gateway.on("GET /v1/promotions/order") { [weak self] _ in self?.order() ?? .drop }
        gateway.on("PUT /v1/promotions/order") { [weak self] request in
            self?.overrides.withLock {
                $0.order = request.json["productIdentifiers"]?.arrayValue?.compactMap(\.stringValue) ?? []
            }
            return self?.order() ?? .drop
        }
        for product in products.map(\.productIdentifier) {
            gateway.on("GET /v1/promotions/visibility/\(product)") { [weak self] _ in
                self?.visibility(of: product) ?? .drop
            }
            gateway.on("PUT /v1/promotions/visibility/\(product)") { [weak self] request in
                let set = StorePromotionVisibility(rawValue: request.json["visibility"]?.stringValue ?? "")
                self?.overrides.withLock { $0.visibility[product] = set == .default ? nil : set }
                return self?.visibility(of: product) ?? .drop
            }
        }
    }

    /// What the device has set.
    var device: PromotionOverrides { overrides.withLock { $0 } }

    /// A shopper buys in the store.
    func tap(_ intent: StorePurchaseIntent) {
        stream.send("openApp", ["intentIdentifier": intent.intentIdentifier])
        tell(intent, on: stream)
    }

    func tell(_ intent: StorePurchaseIntent, on stream: FakeStream) {
        stream.send("promotedPurchase", Promoted(intent: intent))
    }

    /// A stream that begins with pending purchases.
    func stream(beginningWith intents: [StorePurchaseIntent]) -> FakeStream {
        let stream = FakeStream()
        stream.updated([] as [PaymentTransaction])
        for intent in intents { tell(intent, on: stream) }
        stream.send("synchronized", ["seq": 1])
        return stream
    }

    /// What was said about an intent, in order.
    func decisions(_ id: String = "i1") -> [String] {
        gateway.requests("POST /v1/intents/\(id)/decision").compactMap { $0.json["decision"]?.stringValue }
    }

    /// The store's way with a decision: what continues is bought, the stream tells it first.
    static func decide(_ request: FakeRequest, _ stream: FakeStream) -> FakeAnswer {
        let id = request.path.split(separator: "/").dropLast().last.map(String.init) ?? ""
        guard let decision = DecideIntentRequest.Decision(rawValue: request.json["decision"]?.stringValue ?? ""),
            var intent = try? StorePurchaseIntent.sample(id)
        else { return .problem(.requestInvalid) }
        intent.state = StorePurchaseIntent.State(after: decision)
        guard decision == .continue else { return .json(Decided(intent: intent)) }
        let key = "intent:\(id)"
        for (state, revision) in [(TransactionState.purchasing, 1), (.purchased, 2)] {
            stream.updated([.sample("t-\(id)", state, revision: revision, key: key)])
        }
        return .json(Decided(intent: intent, transaction: .sample("t-\(id)", key: key)), status: 201)
    }

    private func order() -> FakeAnswer {
        let order = device.order
        // The store may list the products in any order.
        return .json(
            Order(productIdentifiers: order, products: products.filter { order.contains($0.productIdentifier) }))
    }

    private func visibility(of product: String) -> FakeAnswer {
        .json(
            Visibility(
                productIdentifier: product, visibility: device.visibility(of: product).rawValue,
                products: products.filter { $0.productIdentifier == product }))
    }
}

extension FakeAnswer {
    /// An ordinary purchase: the stream first, then the answer.
    static func purchase(_ id: String, key: String, _ stream: FakeStream) -> FakeAnswer {
        stream.updated([.sample(id, .purchasing, revision: 1, key: key)])
        stream.updated([.sample(id, .purchased, revision: 2, key: key)])
        return .json(PaymentTransaction.sample(id, .purchased, revision: 2, key: key), status: 201)
    }
}

extension StorePurchaseIntent {
    static func sample(
        _ id: String, _ state: State = .pending, product: String = "com.example.hiddenBeaches"
    ) throws -> StorePurchaseIntent {
        StorePurchaseIntent(
            intentIdentifier: id, state: state,
            payment: Payment(requestIdentifier: "intent:\(id)", productIdentifier: product),
            product: try StoreModels.Product.sample(product), source: .storePage,
            expiresAt: Timestamp(milliseconds: 1_795_600_000_000))
    }
}
