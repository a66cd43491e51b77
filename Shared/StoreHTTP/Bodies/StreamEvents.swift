import StoreModels

/// The names of the events of `GET /v1/transactions/stream`.
package enum StreamEventName: String, CaseIterable, Sendable {
    case updatedTransactions
    case removedTransactions
    case updatedDownloads
    case restoreCompletedTransactionsFinished
    case restoreCompletedTransactionsFailedWithError
    case didChangeStorefront
    case didRevokeEntitlementsForProductIdentifiers
    case shouldShowPriceConsent
    case openApp
    case promotedPurchase
    /// Everything unfinished has been delivered.
    case synchronized
    /// The app was launched again on the device, so the stream ends.
    case superseded

    /// The events with the schemas of their data.
    static var events: [StreamedEvent] {
        allCases.map { StreamedEvent(name: $0.rawValue, data: $0.data, id: .text(matching: "^[0-9]+$")) }
    }

    private var data: Schema {
        switch self {
        case .updatedTransactions, .removedTransactions: .type(TransactionsEvent<PaymentTransaction>.self)
        case .updatedDownloads: .type(DownloadsEvent<Download>.self)
        case .restoreCompletedTransactionsFinished: .type(RestoreEndEvent.self)
        case .restoreCompletedTransactionsFailedWithError:
            Schema.type(RestoreEndEvent.self).narrowed(["required": ["error"]])
        case .didChangeStorefront: .type(StorefrontEvent.self)
        case .didRevokeEntitlementsForProductIdentifiers: .type(RevocationEvent.self)
        case .shouldShowPriceConsent: .type(PriceConsentEvent.self)
        case .openApp: .type(OpenAppEvent.self)
        case .promotedPurchase: .type(PromotedPurchaseEvent.self)
        case .synchronized, .superseded: .type(PositionEvent.self)
        }
    }
}

/// The data of `updatedTransactions` and `removedTransactions`: `{"seq":7,"transactions":[…]}`.
package struct TransactionsEvent<Transaction: Sendable>: Sendable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// Oldest first, each in its state at that `seq`.
    package var transactions: [Transaction]
}

extension TransactionsEvent: Encodable where Transaction: Encodable {}
extension TransactionsEvent: Decodable where Transaction: Decodable {}

/// The data of `updatedDownloads`: `{"seq":7,"downloads":[…]}`.
package struct DownloadsEvent<Element: Sendable>: Sendable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// Downloads of this device that have changed.
    package var downloads: [Element]
}

extension DownloadsEvent: Encodable where Element: Encodable {}
extension DownloadsEvent: Decodable where Element: Decodable {}

/// The data of `restoreCompletedTransactionsFinished` and `restoreCompletedTransactionsFailedWithError`.
package struct RestoreEndEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// As `POST /v1/restore` returned it.
    package var restoreIdentifier: String
    /// Of a failed restore only.
    package let error: TransactionError?
}

/// The data of `didChangeStorefront`.
package struct StorefrontEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// The account's new storefront.
    package var storefront: Storefront
}

/// The data of `didRevokeEntitlementsForProductIdentifiers`.
package struct RevocationEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// The products the customer has lost.
    package var productIdentifiers: [String]
}

/// The data of `shouldShowPriceConsent`.
package struct PriceConsentEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// The subscription's first transaction, decimal digits.
    package var originalTransactionIdentifier: String
    /// The product whose price rises.
    package var productIdentifier: String?
    /// The next renewal's price.
    package var price: Money?
    /// The last price the subscriber has agreed to.
    package var formerPrice: Money?

    /// Creates the event of a question that PaymentQueue asks.
    package init(seq: Int64, _ question: PriceConsentQuestion) {
        self.seq = seq
        originalTransactionIdentifier = question.originalTransactionIdentifier
        productIdentifier = question.productIdentifier
        price = question.price
        formerPrice = question.formerPrice
    }
}

/// The data of `openApp`.
package struct OpenAppEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// The intent that follows as `promotedPurchase` once the app handles it.
    package var intentIdentifier: String
}

/// The data of `promotedPurchase`.
package struct PromotedPurchaseEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// Pending, with `answerBy` set.
    package var intent: StorePurchaseIntent
}

/// The data of `synchronized` and `superseded`: `{"seq":7}`.
package struct PositionEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
}
