// Purchases outside the store. This store has none: whether they are possible is false, and each call is unsupported.

/// Purchases on an external site, after a notice.
public enum ExternalPurchase: Sendable {
    /// The customer's answer to the notice.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum NoticeResult: Hashable, Sendable {
        case cancelled
        case continuedWithExternalPurchaseToken(token: String)
    }

    /// False.
    public static var canPresent: Bool { get async { false } }
    /// - Throws: ``StoreKitError/unsupported``
    public static func presentNoticeSheet() async throws -> NoticeResult { throw StoreKitError.unsupported }
}

/// A link to an external site.
public enum ExternalPurchaseLink: Sendable {
    /// False.
    public static var canOpen: Bool { get async { false } }
    /// Nil.
    public static var eligibleURLs: [URL]? { get async { nil } }
    /// - Throws: ``StoreKitError/unsupported``
    public static func open() async throws { throw StoreKitError.unsupported }
    /// - Throws: ``StoreKitError/unsupported``
    public static func open(url: URL) async throws { throw StoreKitError.unsupported }
}

/// A link of the app's own to an external site.
public enum ExternalPurchaseCustomLink: Sendable {
    /// The customer's answer to the notice.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum NoticeResult: Hashable, Sendable { case cancelled, continued }

    /// The place where the link opens.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum NoticeType: Int, Hashable, Sendable { case withinApp, browser }

    /// The proof of a link's use.
    public struct Token: Hashable, Sendable {
        /// The token's text.
        public let value: String
    }

    /// False.
    public static var isEligible: Bool { get async { false } }
    /// - Throws: ``StoreKitError/unsupported``
    public static func showNotice(type: NoticeType) async throws -> NoticeResult { throw StoreKitError.unsupported }
    /// Nil.
    public static func token(for tokenType: String) async throws -> Token? { nil }
}

/// A link to the customer's account on an external site.
public enum ExternalLinkAccount: Sendable {
    /// False.
    public static var canOpen: Bool { get async { false } }
    /// - Throws: ``StoreKitError/unsupported``
    public static func open() async throws { throw StoreKitError.unsupported }
}

/// A payment method that an app binds to an account.
public struct PaymentMethodBinding: Sendable, Hashable, Identifiable {
    /// The reason why it was not bound.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive(warn)
    #endif
    public enum PaymentMethodBindingError: LocalizedError, Hashable {
        case notEligible, invalidPinningID, failed

        /// The failure, in a sentence.
        public var errorDescription: String? { "The payment method could not be bound." }
        /// Why it has failed.
        public var failureReason: String? { "This store binds no payment methods." }
        /// The remedy, in a sentence.
        public var recoverySuggestion: String? { nil }
    }

    /// The binding's identifier.
    public let id: String
    /// - Throws: ``PaymentMethodBindingError/notEligible``
    public init(id: String) async throws { throw PaymentMethodBindingError.notEligible }
    /// - Throws: ``PaymentMethodBindingError/notEligible``
    public func bind() async throws { throw PaymentMethodBindingError.notEligible }
}

/// A generic product of Advanced Commerce. This store has none.
public struct AdvancedCommerceProduct: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    public typealias ProductType = Product.ProductType
    public typealias PurchaseResult = Product.PurchaseResult

    /// The product's identifier.
    public let id: String
    /// The kind of product.
    public let type: ProductType

    /// - Throws: ``StoreKitError/unsupported``
    public init(id: String) async throws { throw StoreKitError.unsupported }

    /// A wish for a purchase.
    public struct PurchaseOption: Hashable, Sendable, CustomDebugStringConvertible {
        let question: StorefrontQuestion

        /// Whether the purchase goes on if the storefront has changed since the product was read.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> PurchaseOption { .init(question: StorefrontQuestion(shouldContinuePurchase)) }

        /// The kind of wish.
        public var debugDescription: String { "onStorefrontChange" }
    }

    /// - Throws: ``StoreKitError/unsupported``
    @MainActor public func purchase(
        compactJWS: String, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { throw StoreKitError.unsupported }
    /// - Throws: ``StoreKitError/unsupported``
    @MainActor public func purchase(
        compactJWS: String, confirmIn anchor: some AnyObject, options: Set<PurchaseOption> = []
    ) async throws -> PurchaseResult { throw StoreKitError.unsupported }

    /// The newest transaction of the product. Nil without any.
    public var latestTransaction: VerificationResult<Transaction>? { get async { await Transaction.latest(for: id) } }
    /// The transactions of the product.
    public var allTransactions: Transaction.Transactions { Transaction.all(for: id) }
    /// The transactions that entitle the customer to the product.
    public var currentEntitlements: Transaction.Transactions { Transaction.currentEntitlements(for: id) }

    /// The product's identifier.
    public var debugDescription: String { id }
}

/// The error of a request to Advanced Commerce.
public struct InvalidRequestError: Error, Hashable, Sendable {
    /// The error's number.
    public let code: Int64
    /// The error in English.
    public let message: String
}
