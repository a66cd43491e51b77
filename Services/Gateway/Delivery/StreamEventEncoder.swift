import StoreHTTP
import StoreModels

/// Writes the events of a customer's stream as server-sent events.
enum StreamEventEncoder {
    static func bytes(_ event: DeliveryMachine.Event) throws -> [UInt8] {
        switch event {
        case .updated(let seq, let transactions):
            try bytes(.updatedTransactions, seq, TransactionsEvent(seq: seq, transactions: transactions))
        case .removed(let seq, let transactions):
            try bytes(.removedTransactions, seq, TransactionsEvent(seq: seq, transactions: transactions))
        case .restoreEnded(let seq, let restore):
            try bytes(
                restore.state != .failed
                    ? .restoreCompletedTransactionsFinished : .restoreCompletedTransactionsFailedWithError, seq,
                RestoreEndEvent(seq: seq, restoreIdentifier: restore.restoreIdentifier, error: restore.error))
        case .downloadsUpdated(let seq, let downloads):
            try bytes(.updatedDownloads, seq, DownloadsEvent(seq: seq, downloads: downloads))
        case .storefrontChanged(let seq, let storefront):
            try bytes(.didChangeStorefront, seq, StorefrontEvent(seq: seq, storefront: storefront))
        case .entitlementsRevoked(let seq, let revocation):
            try bytes(
                .didRevokeEntitlementsForProductIdentifiers, seq,
                RevocationEvent(seq: seq, productIdentifiers: revocation.productIdentifiers))
        case .priceConsentPending(let seq, let question):
            try bytes(.shouldShowPriceConsent, seq, PriceConsentEvent(seq: seq, question))
        case .synchronized(let seq): try bytes(.synchronized, seq, PositionEvent(seq: seq))
        }
    }

    static func bytes(_ event: IntentDelivery.Event) throws -> [UInt8] {
        switch event {
        case .openApp(let seq, let intentIdentifier):
            try bytes(.openApp, seq, OpenAppEvent(seq: seq, intentIdentifier: intentIdentifier))
        case .promotedPurchase(let seq, let intent):
            try bytes(.promotedPurchase, seq, PromotedPurchaseEvent(seq: seq, intent: intent))
        }
    }

    /// The last event of a stream whose installation was launched again.
    static func superseded(seq: Int64) throws -> [UInt8] { try bytes(.superseded, seq, PositionEvent(seq: seq)) }

    private static func bytes(_ name: StreamEventName, _ seq: Int64, _ body: some Encodable) throws -> [UInt8] {
        ServerSentEventEncoder.bytes(
            ServerSentEvent(id: "\(seq)", name: name.rawValue, data: try StoreJSON.encode(body)))
    }
}
