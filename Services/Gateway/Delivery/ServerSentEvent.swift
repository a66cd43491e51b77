import StoreModels

/// The text format of events on a stream (WHATWG HTML, server-sent events):
///
/// ```
/// event: updatedTransactions
/// id: 7
/// data: {"seq":7,"transactions":[…]}
/// ```
enum ServerSentEvent {
    private struct Transactions: Encodable {
        var seq: Int64
        var transactions: [PaymentTransaction]
    }

    private struct NewStorefront: Encodable {
        var seq: Int64
        var storefront: Storefront
    }

    private struct RestoreEnd: Encodable {
        var seq: Int64
        var restoreIdentifier: String
        /// Only of a failed restore.
        var error: TransactionError?
    }

    private struct Downloads: Encodable {
        var seq: Int64
        var downloads: [Download]
    }

    private struct Lost: Encodable {
        var seq: Int64
        var productIdentifiers: [String]
    }

    private struct PriceConsent: Encodable {
        var seq: Int64
        var originalTransactionIdentifier: String
        var productIdentifier: String
        var price: Money
        var formerPrice: Money

        init(seq: Int64, _ question: PriceConsentQuestion) {
            self.seq = seq
            originalTransactionIdentifier = question.originalTransactionIdentifier
            productIdentifier = question.productIdentifier
            price = question.price
            formerPrice = question.formerPrice
        }
    }

    private struct OpenApp: Encodable {
        var seq: Int64
        var intentIdentifier: String
    }

    private struct PromotedPurchase: Encodable {
        var seq: Int64
        var intent: PurchaseIntent
    }

    private struct Position: Encodable {
        var seq: Int64
    }

    static func bytes(_ event: DeliveryMachine.Event) throws -> [UInt8] {
        switch event {
        case .updated(let seq, let transactions):
            try bytes("updatedTransactions", seq, Transactions(seq: seq, transactions: transactions))
        case .removed(let seq, let transactions):
            try bytes("removedTransactions", seq, Transactions(seq: seq, transactions: transactions))
        case .restoreEnded(let seq, let restore):
            try bytes(
                restore.state != .failed
                    ? "restoreCompletedTransactionsFinished" : "restoreCompletedTransactionsFailedWithError", seq,
                RestoreEnd(seq: seq, restoreIdentifier: restore.restoreIdentifier, error: restore.error))
        case .downloadsUpdated(let seq, let downloads):
            try bytes("updatedDownloads", seq, Downloads(seq: seq, downloads: downloads))
        case .storefrontChanged(let seq, let storefront):
            try bytes("didChangeStorefront", seq, NewStorefront(seq: seq, storefront: storefront))
        case .entitlementsRevoked(let seq, let revocation):
            try bytes(
                "didRevokeEntitlementsForProductIdentifiers", seq,
                Lost(seq: seq, productIdentifiers: revocation.productIdentifiers))
        case .priceConsentPending(let seq, let question):
            try bytes("shouldShowPriceConsent", seq, PriceConsent(seq: seq, question))
        case .synchronized(let seq): try bytes("synchronized", seq, Position(seq: seq))
        }
    }

    static func bytes(_ event: IntentDelivery.Event) throws -> [UInt8] {
        switch event {
        case .openApp(let seq, let intentIdentifier):
            try bytes("openApp", seq, OpenApp(seq: seq, intentIdentifier: intentIdentifier))
        case .promotedPurchase(let seq, let intent):
            try bytes("promotedPurchase", seq, PromotedPurchase(seq: seq, intent: intent))
        }
    }

    /// The last event of a stream whose installation was launched again.
    static func superseded(seq: Int64) throws -> [UInt8] { try bytes("superseded", seq, Position(seq: seq)) }

    /// A line that observers skip and people read: `: degraded payments promotions`.
    static func comment(_ text: String) -> [UInt8] { Array(": \(text)\n\n".utf8) }

    private static func bytes(_ name: String, _ seq: Int64, _ body: some Encodable) throws -> [UInt8] {
        // Encoded JSON contains no line feeds, so one data line holds it.
        Array("event: \(name)\nid: \(seq)\ndata: ".utf8) + (try StoreJSON.encode(body)) + [0x0A, 0x0A]
    }
}
