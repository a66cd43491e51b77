import BusService
import Foundation
import Signing
import StoreModels

/// Creates a customer's receipt in an app from PaymentQueue's current data.
struct ReceiptMaker: Sendable {
    let keys: SigningKeys
    let environment: ReceiptEnvironment

    /// The version first bought, which the store does not record. Apple's sandbox has this value for every app.
    static let originalApplicationVersion = "1.0"

    /// Creates a signed receipt.
    /// - Parameter applicationVersion: The app's current version.
    /// - Returns: The receipt in Base64, as an app forwards it.
    func receiptData(
        of customer: CustomerReference, _ contents: ReceiptContents, applicationVersion: String
    ) async throws -> String {
        let document = ReceiptDocument(
            environment: environment, bundleId: IsolatedApp.shown(customer.bundleId),
            applicationVersion: applicationVersion,
            customerIdentifier: customer.customerIdentifier, creationDate: contents.now,
            originalApplicationVersion: Self.originalApplicationVersion,
            purchases: contents.items.map(ReceiptPurchase.init))
        return Data(try ReceiptSigner(try await keys.authority()).sign(document)).base64EncodedString()
    }
}
