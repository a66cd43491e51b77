import BusService
import Foundation
import Signing
import StoreModels

/// Makes the receipt of a customer in an app, from what PaymentQueue knows at the moment.
struct ReceiptMaker: Sendable {
    let keys: SigningKeys
    let environment: ReceiptEnvironment

    /// What Apple's sandbox says of every app, and this store too: it knows no versions an account first bought.
    static let originalApplicationVersion = "1.0"

    /// - Parameter applicationVersion: The app's present version.
    /// - Returns: Base64, as an app sends it on.
    func receiptData(
        of customer: CustomerReference, _ facts: CustomerFacts, applicationVersion: String
    ) async throws -> String {
        let document = ReceiptDocument(
            environment: environment, bundleId: customer.bundleId, applicationVersion: applicationVersion,
            customerIdentifier: customer.customerIdentifier, creationDate: facts.now,
            originalApplicationVersion: Self.originalApplicationVersion,
            purchases: facts.items.map(ReceiptPurchase.init))
        return Data(try ReceiptSigner(try await keys.authority()).sign(document)).base64EncodedString()
    }
}
