import BusService
import Foundation
import Signing
import StoreModels

/// Creates a customer's receipt in an app from PaymentQueue's current data.
struct ReceiptMaker: Sendable {
    let keys: SigningKeys
    let environment: ReceiptEnvironment

    /// The value in Apple's sandbox for every app, and here. The store does not record the version first bought.
    static let originalApplicationVersion = "1.0"

    /// - Parameter applicationVersion: The app's current version.
    /// - Returns: Base64, as an app forwards it.
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
