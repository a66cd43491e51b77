import Observation
import StoreKit

/// The app's store: the products, what the customer has of them, and every way to buy.
///
/// The app makes one at launch, before any purchase, and keeps it. Its listeners work as long as it exists.
@MainActor @Observable package final class Store {
    /// The products that the app sells.
    package static let productIDs = [
        "com.example.hiddenBeaches", "com.example.fishingHotSpots", "com.example.pro.monthly", "com.example.pro.yearly",
    ]
    /// The subscription group of Pro.
    package static let proGroupID = "21378123"

    /// Asks the app's server to sign a promotional offer of a product. Returns the JWS.
    package typealias OfferSignature = @Sendable (_ offerID: String, _ product: Product.ID) async throws -> String

    /// The end of a purchase that did not fail.
    package enum Outcome {
        case bought, cancelled
        /// A parent or the customer has to act first. The transaction comes later, or never.
        case pending
    }

    /// The products, cheapest first.
    package private(set) var products: [Product] = []
    /// The products that the customer may use now.
    package private(set) var owned: Set<Product.ID> = []
    /// The customer's subscription to Pro. Nil for a customer who never subscribed.
    package private(set) var membership: Membership?
    /// Whether the customer would get the introductory offer of Pro.
    package private(set) var isEligibleForIntroOffer = false
    /// The day maps that the customer has bought.
    package private(set) var dayMaps: DayMaps
    /// The products that wait for a parent or for the customer. StoreKit does not say that a parent has declined, so
    /// the next launch begins without them.
    package private(set) var pending: Set<Product.ID> = []
    /// The messages of the App Store that wait until the app shows them.
    package private(set) var messages: [Message] = []
    /// The last failure that no button of the app has caused.
    package private(set) var problem: String?

    @ObservationIgnored private let file: URL?
    @ObservationIgnored private let signature: OfferSignature?
    @ObservationIgnored private var listeners: [Task<Void, Never>] = []
    @ObservationIgnored private var reading: Task<Void, Never>?

    /// Starts the listeners.
    /// - Parameters:
    ///   - file: Keeps the day maps between launches. Nil keeps them in memory.
    ///   - signature: Asks the app's server. Nil for an app without one, which has no promotional offers.
    package init(dayMaps file: URL? = nil, signature: OfferSignature? = nil) {
        (self.file, self.signature) = (file, signature)
        dayMaps = DayMaps(file)
        listeners = [
            Task { [weak self] in for await result in Transaction.updates { await self?.receive(result) } },
            Task { [weak self] in for await _ in SubscriptionStatus.updates { await self?.refresh() } },
            Task { [weak self] in for await intent in PurchaseIntent.intents { await self?.buy(intent) } },
            Task { [weak self] in for await message in Message.messages { self?.messages.append(message) } },
            Task { [weak self] in for await _ in Storefront.updates { try? await self?.load() } },
        ]
    }

    isolated deinit {
        for listener in listeners { listener.cancel() }
    }

    /// Reads what the customer has, then the products.
    /// - Throws: `StoreKitError` without a connection. The customer's purchases are known all the same.
    package func load() async throws {
        await refresh()
        products = try await Product.products(for: Self.productIDs).sorted { $0.price < $1.price }
    }

    // MARK: Buying

    /// Buys a product, and delivers it.
    /// - Throws: `Product.PurchaseError`, `StoreKitError`, or the reason why the transaction could not be verified.
    @discardableResult package func buy(
        _ product: Product, options: Set<Product.PurchaseOption> = []
    ) async throws -> Outcome {
        switch try await product.purchase(options: options) {
        case .success(let result):
            try await deliver(result.payloadValue)
            return .bought
        case .pending:
            pending.insert(product.id)
            return .pending
        case .userCancelled:
            return .cancelled
        @unknown default:
            return .cancelled
        }
    }

    /// Buys a subscription with a promotional offer.
    /// - Throws: As ``buy(_:options:)``, and the errors of the app's server.
    @discardableResult package func buy(
        _ product: Product, promotional offer: Product.SubscriptionOffer
    ) async throws -> Outcome {
        guard let id = offer.id, let signature else { throw Product.PurchaseError.missingOfferParameters }
        let jws = try await signature(id, product.id)
        return try await buy(product, options: Set(Product.PurchaseOption.promotionalOffer(id, compactJWS: jws)))
    }

    /// Continues a purchase that the customer has begun in the App Store.
    private func buy(_ intent: PurchaseIntent) async {
        do {
            try await buy(intent.product)
        } catch {
            problem = error.localizedDescription
        }
    }

    /// Asks the App Store for missing purchases. The App Store may ask the customer to sign in.
    ///
    /// Call it for a button only. Without it, everything is up to date.
    package func restore() async throws {
        try await AppStore.sync()
        await refresh()
    }

    /// Lets the customer ask for the money back.
    /// - Returns: Nil without a verified purchase.
    package func requestRefund(
        of productID: Product.ID, in scene: some AnyObject
    ) async throws -> Transaction.RefundRequestStatus? {
        guard case .verified(let transaction) = await Transaction.latest(for: productID) else { return nil }
        return try await transaction.beginRefundRequest(in: scene)
    }

    /// Shows the messages that wait, at a moment that suits the app.
    package func showMessages(in scene: some AnyObject) {
        for message in messages { try? message.display(in: scene) }
        messages = []
    }

    /// Uses a day map up.
    /// - Returns: Whether there was one.
    package func useDayMap() throws -> Bool {
        guard dayMaps.use() else { return false }
        try dayMaps.save(to: file)
        return true
    }

    // MARK: Receiving

    /// Receives what does not come from `buy`: renewals, approved purchases, other devices' purchases, refunds.
    private func receive(_ result: VerificationResult<Transaction>) async {
        // It stays unfinished, and may be verified at another launch.
        guard case .verified(let transaction) = result else { return }
        do {
            try await deliver(transaction)
        } catch {
            problem = error.localizedDescription
        }
    }

    /// Gives the customer what a transaction says, and finishes it afterwards. If it fails, StoreKit repeats it.
    private func deliver(_ transaction: Transaction) async throws {
        if transaction.productType == .consumable {
            dayMaps.record(transaction)
            try dayMaps.save(to: file)
        }
        pending.remove(transaction.productID)
        await refresh()
        await transaction.finish()
    }

    /// Reads what the customer has.
    ///
    /// One reading follows the other, so that none overwrites a later one. The caller's cancellation does not matter.
    package func refresh() async {
        let next = Task { [reading] in
            await reading?.value
            await read()
        }
        reading = next
        await next.value
    }

    private func read() async {
        var entitled: Set<Product.ID> = []
        for await case .verified(let transaction) in Transaction.currentEntitlements {
            entitled.insert(transaction.productID)
        }
        owned = entitled
        // Without a connection, the last status counts.
        if let statuses = try? await Product.SubscriptionInfo.status(for: Self.proGroupID) {
            membership = Membership(statuses)
        }
        isEligibleForIntroOffer = await Product.SubscriptionInfo.isEligibleForIntroOffer(for: Self.proGroupID)
    }
}
