internal import StoreHTTP
internal import StoreModels

extension Product {
    /// The outcome of a purchase.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum PurchaseResult: Sendable {
        /// The customer has the product. Deliver it, then finish the transaction.
        case success(VerificationResult<Transaction>)
        /// The customer has cancelled.
        case userCancelled
        /// A parent or the customer has to act first. ``Transaction/updates`` has the transaction then.
        case pending
    }

    /// The reason why a product could not be bought as it was asked for.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum PurchaseError: Error, Hashable, LocalizedError {
        case invalidQuantity, productUnavailable, purchaseNotAllowed, ineligibleForOffer, invalidOfferIdentifier
        case invalidOfferPrice, invalidOfferSignature, missingOfferParameters
        case paymentMethodBindingConfigurationRequired, multiSeatPurchaseDisabled

        /// The failure, in a sentence.
        public var errorDescription: String? { "The purchase could not be made." }
        /// Why it has failed.
        public var failureReason: String? {
            switch self {
            case .invalidQuantity: "The quantity is outside 1 to 10, or the product is sold one at a time."
            case .productUnavailable: "The product is not on sale."
            case .purchaseNotAllowed: "The customer may not pay."
            case .ineligibleForOffer: "The customer is not eligible for the offer."
            case .invalidOfferIdentifier: "The product has no such offer."
            case .invalidOfferPrice: "The offer's price is not lower than the regular one."
            case .invalidOfferSignature: "The offer's signature is not valid."
            case .missingOfferParameters: "A part of the offer's signature is missing."
            case .paymentMethodBindingConfigurationRequired: "The app has no configuration for payment methods."
            case .multiSeatPurchaseDisabled: "The product is not sold in seats."
            }
        }
        /// The remedy, in a sentence.
        public var recoverySuggestion: String? { nil }
    }

    /// Buys the product, and waits for the outcome.
    ///
    /// What it returns is not delivered by ``Transaction/updates`` again in this run. Cancelling the task does not
    /// cancel the purchase. The caller needs a main actor that runs: a main run loop, `dispatchMain()` or an async
    /// `main`.
    /// - Throws: ``PurchaseError`` or ``StoreKitError``
    @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try await bought(options)
    }

    /// Buys the product as ``purchase(options:)`` does. There is no sheet to show, so the anchor has no effect.
    @MainActor public func purchase(
        confirmIn anchor: some AnyObject, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult {
        try await bought(options)
    }

    @concurrent private func bought(_ options: Set<PurchaseOption>) async throws -> PurchaseResult {
        let core = origin.queue.core
        try core.failIfSimulated(.purchase)
        let isContinued = core.state.withLock { state in
            origin.intent.map { state.intents.isContinued($0.intentIdentifier) } ?? false
        }
        let order = try PurchaseOrder(model, continues: isContinued ? nil : origin.intent, options) {
            core.connection.log?($0)
        }
        // The purchase goes on when the caller's task is cancelled.
        return try await Task { @concurrent in try await core.purchase(order, readIn: origin.storefront) }.value
    }
}

extension Product.PurchaseResult {
    /// The outcome of a purchase that failed: a result where StoreKit has one, else an error.
    /// - Throws: ``Product/PurchaseError`` or ``StoreKitError``
    init(failure: SKError, ofSignedOffer: Bool = false) throws {
        switch failure.code {
        case .paymentCancelled: self = .userCancelled
        case .paymentInvalid where failure.failureReason == "invalidQuantity":
            throw Product.PurchaseError.invalidQuantity
        case .paymentNotAllowed, .clientInvalid: throw Product.PurchaseError.purchaseNotAllowed
        case .storeProductNotAvailable: throw Product.PurchaseError.productUnavailable
        case .invalidOfferIdentifier: throw Product.PurchaseError.invalidOfferIdentifier
        // As measured of StoreKit: a JWS of an unknown key is no signature that it could judge.
        case .invalidSignature where ofSignedOffer && failure.failureReason == "keyUnknown": throw StoreKitError.unknown
        case .invalidSignature: throw Product.PurchaseError.invalidOfferSignature
        case .missingOfferParams: throw Product.PurchaseError.missingOfferParameters
        case .invalidOfferPrice: throw Product.PurchaseError.invalidOfferPrice
        case .ineligibleForOffer: throw Product.PurchaseError.ineligibleForOffer
        case .unsupportedPlatform: throw StoreKitError.unsupported
        case .unknown: throw StoreKitError(cause: failure)
        default: throw StoreKitError.systemError(failure)
        }
    }
}
