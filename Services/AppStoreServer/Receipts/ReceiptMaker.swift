import BusService
import FoundationEssentials
import Signing
import StoreModels

/// Creates a customer's receipt in an app from PaymentQueue's current data.
struct ReceiptMaker: Sendable {
    let keys: SigningKeys
    let environment: ReceiptEnvironment

    /// The version first bought, which the store does not record. Apple's sandbox has this value for every app.
    static let originalApplicationVersion = "1.0"

    /// Creates a signed receipt.
    /// - Parameter applicationVersion: The app's current version.
    /// - Returns: The receipt in Base64, as an app forwards it.
    func receiptData(
        of customer: CustomerReference, _ contents: ReceiptContents, applicationVersion: String
    ) async throws -> String {
        let document = ReceiptDocument(
            environment: environment, bundleId: IsolatedApp.shown(customer.bundleId),
            applicationVersion: applicationVersion,
            customerIdentifier: customer.customerIdentifier, creationDate: contents.now,
            originalApplicationVersion: Self.originalApplicationVersion,
            purchases: contents.items.map(ReceiptPurchase.init))
        return Data(try ReceiptSigner(try await keys.authority()).sign(document)).base64EncodedString()
    }
}

/// The contents of one customer's receipt, as PaymentQueue has them.
struct ReceiptContents: Sendable {
    /// Maximum number of purchases in a receipt. With more, the oldest without an offer are omitted: a receipt must fit
    /// in one request, and must contain the purchases that decide about offers (M120).
    static let itemsMax = 1_500

    /// The purchases, oldest first.
    var items: [ReceiptItem]
    var subscriptions: [Subscription]
    /// The customer's first session with the app.
    var firstSeen: Timestamp
    /// The app's business clock.
    var now: Timestamp

    /// Reads the data page by page.
    /// - Throws: `notFound` for a deleted customer, and the error of an unavailable service.
    init(
        of customer: CustomerReference, services: ServiceCaller, context: CallContext
    ) async throws(StoreError) {
        var request = ReceiptFactsRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier)
        let first = try await services.call(SubscriptionEndpoints.receipt, request, context: context)
        var items = Self.selected(first.items, max: Self.itemsMax)
        request.after = first.after
        while let after = request.after {
            let page = try await services.call(SubscriptionEndpoints.receipt, request, context: context)
            // Selected after each page, so that a long history needs no more memory than a receipt.
            items = Self.selected(items + page.items, max: Self.itemsMax)
            // A page whose cursor does not advance would otherwise be requested endlessly.
            request.after = page.after == after ? nil : page.after
        }
        self.init(
            items: items, subscriptions: first.subscriptions, firstSeen: first.firstSeen, now: first.businessNow)
    }

    init(items: [ReceiptItem], subscriptions: [Subscription], firstSeen: Timestamp, now: Timestamp) {
        self.items = items
        self.subscriptions = subscriptions
        self.firstSeen = firstSeen
        self.now = now
    }

    /// Selects the purchases with an offer, then the newest others. The order stays.
    static func selected(_ items: [ReceiptItem], max count: Int) -> [ReceiptItem] {
        guard items.count > count else { return items }
        let offers = items.indices.filter { items[$0].usedIntroductoryOffer }
        let others = items.indices.filter { !items[$0].usedIntroductoryOffer }
        let kept = offers.suffix(count) + others.suffix(Swift.max(0, count - offers.count))
        return kept.sorted().map { items[$0] }
    }
}

extension ReceiptItem {
    var usedIntroductoryOffer: Bool { isTrialPeriod == true || isInIntroOfferPeriod == true }
}
