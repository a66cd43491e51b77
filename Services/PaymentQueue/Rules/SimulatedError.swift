import StoreModels

/// An error that a tester is set to meet, named as StoreKit names it.
///
/// The name is a case of `SKError.Code` or its number, or a case of `StoreKitError` or `Product.PurchaseError`, which a
/// `.storekit` file can name.
struct SimulatedError: Hashable, Sendable {
    /// The error code the observer receives.
    let code: SKErrorCode
    /// The given name, for errors that StoreKit 1 reports as `unknown`. Nil for others.
    let reason: String?

    /// Finds an error by name or number.
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

    /// Makes the failure of a request that meets the error named `text`.
    ///
    /// An unknown name also fails the request: this service has not checked the names in an app's defaults, which come
    /// from a file.
    static func failure(_ text: String, _ description: String) -> TransactionError {
        guard let known = SimulatedError(text) else {
            return TransactionError(.unknown, description, reason: text)
        }
        return TransactionError(known.code, description, reason: known.reason)
    }

    /// Maps StoreKit 2 names to StoreKit 1 codes. Names without a code are `unknown`, as on a device.
    private static let secondGeneration: [String: SKErrorCode] = [
        "networkError": .unknown, "systemError": .unknown, "userCancelled": .paymentCancelled,
        "notAvailableInStorefront": .storeProductNotAvailable, "notEntitled": .clientInvalid,
        "unsupported": .unsupportedPlatform, "productUnavailable": .storeProductNotAvailable,
        "purchaseNotAllowed": .paymentNotAllowed, "invalidQuantity": .paymentInvalid,
        "invalidOfferSignature": .invalidSignature, "missingOfferParameters": .missingOfferParams,
    ]
}
