import StoreModels

/// The offers of a subscription besides the introductory one, one a line:
///
/// ```
/// promotional  loyal: 1.99 USD a month for 3 months
/// code         SPRING: 1 month free, for new and expired customers
/// win-back     back: 1 month free, 2 to 24 months after 6 paid ones
/// ```
enum OfferWords {
    static func lines(_ offers: ProductOffers) -> [(name: String, text: String)] {
        offers.discounts.map { ("promotional", words($0)) }
            + offers.redeemableOffers.map { ($0.type == .code ? "code" : "win-back", words($0)) }
    }

    private static func words(_ discount: ProductDiscount) -> String {
        "\(discount.identifier ?? "-"): \(Words.offer(discount))"
    }

    private static func words(_ offer: RedeemableOffer) -> String {
        ([words(offer.offer)] + conditions(offer)).joined(separator: ", ")
    }

    private static func conditions(_ offer: RedeemableOffer) -> [String] {
        if offer.type == .code {
            let audiences = offer.audiences?.map(\.rawValue).joined(separator: " and ") ?? "all"
            return ["for \(audiences) customers"]
                + (offer.isStackable == true ? ["with the introductory offer besides"] : [])
        }
        guard let winBack = offer.winBack else { return [] }
        if winBack.isOffered == false { return ["for no customer: isEligible is false"] }
        var words: [String] = []
        if winBack.paidMonthsMin > 0 { words.append("after \(Words.count(winBack.paidMonthsMin, "paid month"))") }
        if let most = winBack.monthsSinceExpiryMax {
            words.append("\(winBack.monthsSinceExpiryMin) to \(Words.count(most, "month")) after the end")
        } else if winBack.monthsSinceExpiryMin > 0 {
            words.append("\(Words.count(winBack.monthsSinceExpiryMin, "month")) after the end")
        }
        words.append(winBack.monthsBetweenOffers.map { "again after \(Words.count($0, "month"))" } ?? "once")
        return words
    }
}
