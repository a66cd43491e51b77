internal import StoreHTTP
internal import StoreModels

/// An event of `GET /v1/transactions/stream` (docs/openapi.md).
enum StreamEvent: Equatable, Sendable {
    case updated([PaymentTransaction])
    case removed([PaymentTransaction])
    case downloads([Download])
    case restoreFinished(String)
    case restoreFailed(String, TransactionError)
    case storefront(StoreModels.Storefront)
    case revoked([String])
    /// A price increase waits for the customer's consent. The value is the subscription's original transaction.
    case priceConsentPending(String)
    /// A purchase began in the store and waits for the app's decision.
    case promoted(StorePurchaseIntent)
    /// A transaction is new or has changed, for StoreKit 2.
    case signedTransaction(SignedTransactionEvent)
    /// A subscription has changed, for StoreKit 2.
    case subscriptionStatus(SubscriptionStatusEvent)
    /// The store brings the app to the front, for the purchase that comes next.
    case openApp
    /// Every unfinished transaction was delivered, as of this position.
    case synchronized(Int64)
    /// The app was launched again on this device, so this stream is over.
    case superseded

    /// Reads an event, or returns nil for an unknown name or a mismatched body.
    init?(_ event: ServerSentEvent) {
        guard let event = try? Self.read(event) else { return nil }
        self = event
    }

    private static func read(_ event: ServerSentEvent) throws -> StreamEvent? {
        switch StreamEventName(rawValue: event.name) {
        case .updatedTransactions: .updated(try transactions(event))
        case .removedTransactions: .removed(try transactions(event))
        case .updatedDownloads:
            .downloads(try decode(DownloadsEvent<Readable<Download>>.self, event).downloads.compactMap(\.value))
        case .restoreCompletedTransactionsFinished:
            .restoreFinished(try decode(RestoreEndEvent.self, event).restoreIdentifier)
        case .restoreCompletedTransactionsFailedWithError: try restoreFailed(decode(RestoreEndEvent.self, event))
        case .didChangeStorefront: .storefront(try decode(StorefrontEvent.self, event).storefront)
        case .didRevokeEntitlementsForProductIdentifiers:
            .revoked(try decode(RevocationEvent.self, event).productIdentifiers)
        case .shouldShowPriceConsent:
            .priceConsentPending(try decode(PriceConsentEvent.self, event).originalTransactionIdentifier)
        case .promotedPurchase: .promoted(try decode(PromotedPurchaseEvent.self, event).intent)
        case .signedTransaction: .signedTransaction(try decode(SignedTransactionEvent.self, event))
        case .subscriptionStatus: .subscriptionStatus(try decode(SubscriptionStatusEvent.self, event))
        case .openApp: .openApp
        case .synchronized: .synchronized(try decode(PositionEvent.self, event).seq ?? 0)
        case .superseded: .superseded
        case nil: nil
        }
    }

    private static func transactions(_ event: ServerSentEvent) throws -> [PaymentTransaction] {
        try decode(TransactionsEvent<Readable<PaymentTransaction>>.self, event).transactions.compactMap(\.value)
    }

    private static func decode<Body: Decodable>(
        _ type: Body.Type, _ event: ServerSentEvent
    ) throws(StoreError) -> Body {
        try StoreJSON.decode(type, from: event.data)
    }

    private static func restoreFailed(_ end: RestoreEndEvent) -> StreamEvent {
        .restoreFailed(end.restoreIdentifier, end.error ?? TransactionError(.unknown, "the restore failed"))
    }
}

extension StreamEvent {
    /// The signed data of an event, with the outcome of its verification.
    enum Signed: Sendable {
        case transaction(VerificationResult<Transaction>)
        case status(Product.SubscriptionInfo.Status)
    }

    /// Whether the event has signed data.
    var isSigned: Bool {
        switch self {
        case .signedTransaction, .subscriptionStatus: true
        default: false
        }
    }

    /// Verifies the signed data of the event. Nil for an event without any.
    func verified(by verifier: StoreVerifier) -> Signed? {
        switch self {
        case .signedTransaction(let event): .transaction(verifier.result(event.signedTransaction))
        case .subscriptionStatus(let event): .status(.init(event.status, by: verifier))
        default: nil
        }
    }
}

/// An element of a list, or nil if this version cannot read it. An unreadable element does not fail the whole list
/// (M27).
struct Readable<Element: Decodable & Sendable>: Decodable, Sendable {
    let value: Element?

    init(from decoder: any Decoder) { value = try? Element(from: decoder) }
}
