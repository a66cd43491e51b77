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
    init?(_ event: EventStreamParser.Event) {
        guard let event = try? Self.read(event) else { return nil }
        self = event
    }

    private static func read(_ event: EventStreamParser.Event) throws -> StreamEvent? {
        switch event.name {
        case "updatedTransactions": .updated(try decode(Transactions.self, event).list)
        case "removedTransactions": .removed(try decode(Transactions.self, event).list)
        case "updatedDownloads": .downloads(try decode(Downloads.self, event).list)
        case "restoreCompletedTransactionsFinished":
            .restoreFinished(try decode(RestoreEnd.self, event).restoreIdentifier)
        case "restoreCompletedTransactionsFailedWithError": try restoreFailed(decode(RestoreEnd.self, event))
        case "didChangeStorefront": .storefront(try decode(NewStorefront.self, event).storefront)
        case "didRevokeEntitlementsForProductIdentifiers":
            .revoked(try decode(Revocation.self, event).productIdentifiers)
        case "shouldShowPriceConsent":
            .priceConsentPending(try decode(PriceConsent.self, event).originalTransactionIdentifier)
        case "promotedPurchase": .promoted(try decode(Promoted.self, event).intent)
        case "openApp": .openApp
        case "synchronized": .synchronized
        case "superseded": .superseded
        default: nil
        }
    }

    private static func decode<Body: Decodable>(
        _ type: Body.Type, _ event: EventStreamParser.Event
    ) throws(StoreError) -> Body {
        try StoreJSON.decode(type, from: event.data)
    }

    private static func restoreFailed(_ end: RestoreEnd) -> StreamEvent {
        .restoreFailed(end.restoreIdentifier, end.error ?? TransactionError(.unknown, "the restore failed"))
    }
}

private struct Transactions: Decodable {
    let transactions: [Readable<PaymentTransaction>]
    var list: [PaymentTransaction] { transactions.compactMap(\.value) }
}

private struct Downloads: Decodable {
    let downloads: [Readable<Download>]
    var list: [Download] { downloads.compactMap(\.value) }
}

private struct RestoreEnd: Decodable {
    let restoreIdentifier: String
    let error: TransactionError?
}

private struct NewStorefront: Decodable { let storefront: Storefront }
private struct Revocation: Decodable { let productIdentifiers: [String] }
private struct PriceConsent: Decodable { let originalTransactionIdentifier: String }
private struct Promoted: Decodable { let intent: StoreModels.PurchaseIntent }
