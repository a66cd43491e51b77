import StoreModels

/// An error that a tester is set to meet, by the name StoreKit gives it: a case of `SKError.Code` or its number, or a
/// case of `StoreKitError` or `Product.PurchaseError`, which is what a `.storekit` file can name.
struct SimulatedError: Hashable, Sendable {
    /// The error code the observer receives.
    let code: SKErrorCode
    /// The name as it was given, where StoreKit's first generation knows the error only as "unknown".
    let reason: String?

    /// - Parameter text: `paymentInvalid`, `3`, `networkError` …
    /// - Returns: Nil for an unknown name.
    init?(_ text: String) {
        if let known = SKErrorCode(name: text) ?? Int(text).flatMap(SKErrorCode.init(rawValue:)) {
            (code, reason) = (known, nil)
        } else if let mapped = Self.secondGeneration[text] {
            (code, reason) = (mapped, mapped == .unknown ? text : nil)
        } else {
            return nil
        }
    }

    /// The failure of a request that meets the error named `text`.
    ///
    /// An app's defaults come from a file whose names this service has not checked: an unknown name still fails the
    /// request.
    static func failure(_ text: String, _ description: String) -> TransactionError {
        guard let known = SimulatedError(text) else {
            return TransactionError(.unknown, description, reason: text)
        }
        return TransactionError(known.code, description, reason: known.reason)
    }

    /// StoreKit 2's names in StoreKit 1's codes. What has no code there is `unknown`, as it is on a device.
    private static let secondGeneration: [String: SKErrorCode] = [
        "networkError": .unknown, "systemError": .unknown, "userCancelled": .paymentCancelled,
        "notAvailableInStorefront": .storeProductNotAvailable, "notEntitled": .clientInvalid,
        "unsupported": .unsupportedPlatform, "productUnavailable": .storeProductNotAvailable,
        "purchaseNotAllowed": .paymentNotAllowed, "invalidQuantity": .paymentInvalid,
        "invalidOfferSignature": .invalidSignature, "missingOfferParameters": .missingOfferParams,
    ]
}
