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
    /// With `form=2`: a transaction is new, or its signed form has changed.
    case signedTransaction
    /// With `form=2`: a subscription has another state or other renewal information.
    case subscriptionStatus
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
        case .signedTransaction: .type(SignedTransactionEvent.self)
        case .subscriptionStatus: .type(SubscriptionStatusEvent.self)
        case .synchronized, .superseded: .type(PositionEvent.self)
        }
    }
}

/// The events that a stream has.
package enum StreamForm: String, CaseIterable, Sendable {
    /// StoreKit 1's.
    case first = "1"
    /// Those of both, because a device has one stream.
    case both = "2"
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

/// The data of `signedTransaction`:
///
/// ```json
/// {"seq":7,"id":"t_01m7ye06a9fztjwq7kqekddpc9","cause":"purchase","requestIdentifier":"order-1",
///  "originDeviceId":"alice-1","signedTransaction":"eyJhbGciOi"}
/// ```
package struct SignedTransactionEvent: Hashable, Sendable, Codable {
    /// The reason why a transaction is new or has changed.
    package enum Cause: String, CaseIterable, Hashable, Sendable, Codable {
        /// An app has bought it, on this device or another.
        case purchase
        /// An app has bought what the customer holds already. The transaction is the one held, and nothing was charged.
        case held
        /// A parent has approved it.
        case approval
        /// An interrupted purchase was resolved.
        case resolution
        /// It was bought outside the app.
        case outside
        /// The store has renewed a subscription.
        case renewal
        /// The money was given back.
        case refund
        /// It was revoked without the money.
        case revocation
        /// Another change, such as a later end of its period, or a refund that was reversed.
        case change
    }

    /// Grows with every event of this customer. `GET /v1/signed/transactions` has the transaction from this `seq` on.
    package let seq: Int64?
    /// The transaction's `id`, as ``PaymentTransaction/id``.
    package var id: String
    package var cause: Cause
    /// The Idempotency-Key of the purchase that an app has made. Absent for other causes.
    package var requestIdentifier: String?
    /// The device that has bought it, as ``PaymentTransaction/originDeviceId``.
    package var originDeviceId: String
    /// A JWS of ``TransactionClaims``.
    package var signedTransaction: String
}

/// The data of `subscriptionStatus`.
package struct SubscriptionStatusEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
    /// The subscription group's identifier.
    package var groupID: String
    package var status: SignedSubscriptionStatus
}

/// The data of `synchronized` and `superseded`: `{"seq":7}`.
package struct PositionEvent: Hashable, Sendable, Codable {
    /// Grows with every event of this customer.
    package let seq: Int64?
}
