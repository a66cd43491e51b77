internal import StoreHTTP
internal import StoreModels

extension Product {
    /// A wish for a purchase.
    public struct PurchaseOption: Hashable, Sendable, CustomDebugStringConvertible {
        enum Kind: Hashable, Sendable {
            case appAccountToken(UUID)
            case quantity(Int)
            case asksToBuy(Bool)
            case onStorefrontChange(StorefrontQuestion)
            case discount(PaymentDiscount)
            case promotional(String, jws: String)
            case introductory(jws: String)
            case winBack(SubscriptionOffer)
            case billingPlan(SubscriptionInfo.BillingPlanType)
            case seats(Int)
            case custom(String, CustomValue)
            case test(TestWish)
        }

        enum CustomValue: Hashable, Sendable { case text(String), number(Double), flag(Bool), data(Data) }

        let kind: Kind

        /// The app's token for its user. The transaction and the later periods have it.
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { .init(kind: .appAccountToken(token)) }
        /// The number of pieces, 1…10, of a consumable or a non-renewing subscription.
        public static func quantity(_ quantity: Int) -> PurchaseOption { .init(kind: .quantity(quantity)) }
        /// Whether the purchase waits for an approval, outside production.
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
            .init(kind: .asksToBuy(simulateAskToBuy))
        }
        /// Whether the purchase goes on if the storefront has changed since the product was read.
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> PurchaseOption {
            .init(kind: .onStorefrontChange(StorefrontQuestion(shouldContinuePurchase)))
        }
        /// A promotional offer that the app's server has signed in the first form.
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption {
            promotionalOffer(
                offerID: offerID,
                signature: .init(keyID: keyID, nonce: nonce, timestamp: timestamp, signature: signature))
        }
        /// A promotional offer that the app's server has signed in the first form.
        public static func promotionalOffer(
            offerID: String, signature: SubscriptionOffer.Signature
        ) -> PurchaseOption {
            .init(
                kind: .discount(
                    PaymentDiscount(
                        identifier: offerID, keyIdentifier: signature.keyID,
                        nonce: signature.nonce.uuidString.lowercased(),
                        signature: signature.signature.base64EncodedString(),
                        timestamp: Int64(signature.timestamp))))
        }
        /// A promotional offer that the app's server has signed as a JWS.
        public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
            [.init(kind: .promotional(offerID, jws: compactJWS))]
        }
        /// The app's own decision about the introductory offer, which its server has signed as a JWS.
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
            .init(kind: .introductory(jws: compactJWS))
        }
        /// An offer for a customer who comes back.
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption { .init(kind: .winBack(offer)) }
        /// The plan by which a subscription is paid. Without it, `.upFront`.
        public static func billingPlanType(_ type: SubscriptionInfo.BillingPlanType) -> PurchaseOption {
            .init(kind: .billingPlan(type))
        }
        /// The number of seats. This store sells none.
        public static func seats(_ total: Int) -> PurchaseOption { .init(kind: .seats(total)) }
        /// A value without effect at this store.
        public static func custom(key: String, value: String) -> PurchaseOption {
            .init(kind: .custom(key, .text(value)))
        }
        /// A value without effect at this store.
        public static func custom(key: String, value: Double) -> PurchaseOption {
            .init(kind: .custom(key, .number(value)))
        }
        /// A value without effect at this store.
        public static func custom(key: String, value: Bool) -> PurchaseOption {
            .init(kind: .custom(key, .flag(value)))
        }
        /// A value without effect at this store.
        public static func custom(key: String, value: Data) -> PurchaseOption {
            .init(kind: .custom(key, .data(value)))
        }

        /// The kind of wish and its value.
        public var debugDescription: String { "\(kind)" }
    }
}

/// The app's answer to a change of the storefront. Equal to itself alone.
final class StorefrontQuestion: Hashable, Sendable {
    let shouldContinue: @Sendable (Storefront) -> Bool

    init(_ shouldContinue: @escaping @Sendable (Storefront) -> Bool) { self.shouldContinue = shouldContinue }

    static func == (left: StorefrontQuestion, right: StorefrontQuestion) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A purchase as its options ask for it. The type is pure.
struct PurchaseOrder: Sendable {
    private(set) var request: PaymentRequest
    private(set) var storefrontQuestion: StorefrontQuestion?

    /// - Parameters:
    ///   - intent: The purchase to continue. The store continues it only with the payment and the win-back offer that
    ///     it has kept, so options that depart from it make another purchase.
    ///   - log: Receives the reason for a ``StoreKitError``.
    /// - Throws: ``Product/PurchaseError``, or ``StoreKitError``: `unknown` for two wishes of one kind or two offers,
    ///   because a set has no order and none is the last, and `unsupported` for what the store does not sell.
    init(
        _ product: StoreModels.Product, continues intent: StorePurchaseIntent? = nil,
        _ options: Set<Product.PurchaseOption>, log: (String) -> Void = { _ in }
    ) throws {
        request = PaymentRequest(productIdentifier: product.productIdentifier)
        var seen: Set<String> = []
        for option in options {
            guard seen.insert(option.kind.name).inserted else {
                log("a purchase has two options of one kind: \(option.kind.name)")
                throw StoreKitError.unknown
            }
            try add(option.kind, product, log)
        }
        if let intent { proceed(with: intent) }
    }

    private mutating func proceed(with intent: StorePurchaseIntent) {
        let quantity = Quantity(intent.payment.quantity)
        let discount = intent.payment.paymentDiscount.map { DiscountParts($0) }
        guard request.quantity.map({ $0.value == quantity }) ?? true,
            request.paymentDiscount.map({ $0 == discount }) ?? true,
            request.offer.map({ $0.promotional == nil && $0.winBack.isExactly(intent.offer) }) ?? true,
            request.introductoryEligibility == nil, request.billingPlanType == nil
        else { return }
        (request.quantity, request.paymentDiscount) = (NonNull(quantity), discount)
        request.applicationUsername = intent.payment.applicationUsername
        request.intentIdentifier = intent.intentIdentifier
    }

    private mutating func add(
        _ option: Product.PurchaseOption.Kind, _ product: StoreModels.Product, _ log: (String) -> Void
    ) throws {
        func unsupported(_ what: String) -> StoreKitError {
            log("the store does not sell it: \(what)")
            return .unsupported
        }
        switch option {
        case .appAccountToken(let token): request.appAccountToken = token.uuidString.lowercased()
        case .quantity(let quantity):
            let isOne = product.type == .nonConsumable || product.type == .autoRenewable
            guard (1...(isOne ? 1 : 10)).contains(quantity) else { throw Product.PurchaseError.invalidQuantity }
            request.quantity = NonNull(Quantity(quantity))
        // Only the sandbox accepts it.
        case .asksToBuy(let asks): request.simulatesAskToBuyInSandbox = asks ? true : nil
        case .onStorefrontChange(let question): storefrontQuestion = question
        case .discount(let discount): request.paymentDiscount = DiscountParts(discount)
        case .promotional(let identifier, let jws):
            request.offer = PurchaseOffer(promotional: .init(identifier: identifier, jws: jws))
        case .introductory(let jws): request.introductoryEligibility = jws
        case .winBack(let offer):
            guard offer.type == .winBack, let id = offer.id else { throw Product.PurchaseError.invalidOfferIdentifier }
            request.offer = PurchaseOffer(winBack: id)
        case .billingPlan(let plan):
            switch plan {
            case .upFront: break
            // The store refuses a product that it does not sell so.
            case .monthly: request.billingPlanType = .monthly
            default: throw unsupported("billing plan \(plan.rawValue)")
            }
        case .seats: throw unsupported("seats")
        case .test: throw unsupported("an option of StoreKit Test outside of SKTestSession.buyProduct")
        case .custom("advancedCommerceData", _): throw unsupported("Advanced Commerce")
        case .custom: break
        }
    }
}

extension Product.PurchaseOption.Kind {
    /// The name that two wishes of one kind share. All offers of a price are of one kind.
    var name: String {
        switch self {
        case .appAccountToken: "appAccountToken"
        case .quantity: "quantity"
        case .asksToBuy: "simulatesAskToBuyInSandbox"
        case .onStorefrontChange: "onStorefrontChange"
        case .discount, .promotional, .winBack: "an offer"
        case .introductory: "introductoryOfferEligibility"
        case .billingPlan: "billingPlanType"
        case .seats: "seats"
        case .custom(let key, _): "custom \(key)"
        case .test(let wish): wish.name
        }
    }
}
