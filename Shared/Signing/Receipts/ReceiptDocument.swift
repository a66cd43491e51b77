import Cryptography
import StoreModels

/// A receipt's content, before it is signed and after it has been verified.
///
/// Written as a SET of attributes, each a SEQUENCE of type, version and value (Apple, "Validating receipts on the
/// device"). ``ReceiptField`` has the numbers. Instants are whole seconds, as Apple's are: finer ones are cut.
package struct ReceiptDocument: Hashable, Sendable {
    /// The endpoint that accepts the receipt. Apple's `ProductionSandbox` or `Production`.
    package var environment: ReceiptEnvironment
    /// The app that may use the receipt.
    package var bundleId: String
    /// The version of the app that the receipt was made for.
    package var applicationVersion: String
    /// Apple's opaque value, which has a meaning for the store only. Storebus's is the receipt's customer.
    package var customerIdentifier: String
    /// Business time at which the receipt was made, in whole seconds.
    package var creationDate: Timestamp
    /// Always `1.0`, as in Apple's sandbox.
    package var originalApplicationVersion: String
    /// For volume purchases only, which this store does not make.
    package var expirationDate: Timestamp?
    /// Oldest first, refunded ones included.
    package var purchases: [ReceiptPurchase]

    package init(
        environment: ReceiptEnvironment, bundleId: String, applicationVersion: String, customerIdentifier: String,
        creationDate: Timestamp, originalApplicationVersion: String, expirationDate: Timestamp? = nil,
        purchases: [ReceiptPurchase]
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.applicationVersion = applicationVersion
        self.customerIdentifier = customerIdentifier
        self.creationDate = creationDate.wholeSeconds
        self.originalApplicationVersion = originalApplicationVersion
        self.expirationDate = expirationDate?.wholeSeconds
        self.purchases = purchases
    }

    /// Attribute 5, by which a copied receipt shows. Apple's hashes the device's identifier, the opaque value and the
    /// bundle identifier, so that a copy on another device shows. Storebus's receipts belong to a customer and not to a
    /// device: the device's part is left out.
    var hash: [UInt8] {
        Insecure.SHA1.hash(data: Array(customerIdentifier.utf8) + Array(bundleId.utf8))
    }
}

extension Timestamp {
    /// The instant cut to the second, as in receipts.
    package var wholeSeconds: Timestamp {
        let rest = milliseconds % 1000
        return Timestamp(milliseconds: milliseconds - (rest < 0 ? rest + 1000 : rest))
    }
}
