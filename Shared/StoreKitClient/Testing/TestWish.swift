/// A wish that StoreKit Test adds to those for a purchase.
package enum TestWish: Hashable, Sendable {
    /// A promotional offer, without a signature.
    case promotionalOffer(String)
    /// An offer code, by its reference name.
    case codeOffer(String)
    case purchaseDate(Date, renews: Bool)

    var name: String {
        switch self {
        case .promotionalOffer, .codeOffer: "an offer"
        case .purchaseDate: "purchaseDate"
        }
    }
}

extension Product.PurchaseOption {
    /// Makes an option of StoreKit Test.
    package static func test(_ wish: TestWish) -> Product.PurchaseOption { .init(kind: .test(wish)) }

    /// An option as a purchase outside the app has it.
    package enum Outside: Sendable {
        case appAccountToken(UUID)
        case quantity(Int)
        case winBackOffer(String?)
        /// Whether a year is paid by the month.
        case monthly(Bool)
        case test(TestWish)
        /// An option that has no effect there.
        case other(String)
    }

    package var outside: Outside {
        switch kind {
        case .appAccountToken(let token): .appAccountToken(token)
        case .quantity(let quantity): .quantity(quantity)
        case .winBack(let offer): .winBackOffer(offer.id)
        case .billingPlan(.monthly): .monthly(true)
        case .billingPlan(.upFront): .monthly(false)
        case .test(let wish): .test(wish)
        default: .other(kind.name)
        }
    }
}
