internal import StoreHTTP
internal import StoreModels

/// What the store's stream says (`http-api.md`, the stream).
enum StreamEvent: Equatable, Sendable {
    case updated([PaymentTransaction])
    case removed([PaymentTransaction])
    case downloads([Download])
    case restoreFinished(String)
    case restoreFailed(String, TransactionError)
    case storefront(Storefront)
    case revoked([String])
    /// A subscription's price rises with its next renewal, and the customer has not agreed; by its original
    /// transaction.
    case priceConsentPending(String)
    /// A purchase began in the store and waits for the app's answer.
    case promoted(StoreModels.PurchaseIntent)
    /// The store brings the app to the front, for the purchase that comes next.
    case openApp
    /// Everything unfinished has been delivered.
    case synchronized
    /// The app was launched again on this device; this stream is over.
    case superseded

    /// - Returns: Nil for an event of a newer store, and for one that is not what its name says.
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
        case .openApp: .openApp
        case .synchronized: .synchronized
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

/// One element of a list. What a newer store sends and this version cannot read is left out, and the rest is not lost
/// with it (M27).
struct Readable<Element: Decodable & Sendable>: Decodable, Sendable {
    let value: Element?

    init(from decoder: any Decoder) { value = try? Element(from: decoder) }
}
