import StoreModels

/// Explains for each reason why a product is not promoted, and the remedy.
struct PromotionSentences: Sendable {
    let bundleId: String
    let productIdentifier: String
    let promotions: StoredPromotions
    /// Whether the catalogue has the product. False when an import has removed it.
    let isInCatalog: Bool

    func sentence(_ reason: PromotionExplanation.Reason) -> String {
        switch reason {
        case .notInPromotions: notInPromotions
        case .noImage:
            "It has no promotional image; upload a PNG or JPEG of \(Self.size) pixels as its `promotion-image`."
        case .imageWaitingForReview:
            "Its promotional image waits for review; approve it."
        case .imageRejected: imageRejected
        case .notAvailable: notAvailable
        case .appNotReleased:
            "\(bundleId) is not released; set `released` to true in the app's settings."
        }
    }

    static let size = "\(PromotionImage.side)×\(PromotionImage.side)"

    private var notInPromotions: String {
        if promotions.entries != nil {
            return "It is not in the promotions of \(bundleId); put a list that names it."
        }
        let others = promotions.isPreview ? "that can be bought" : "with an approved image"
        return
            "There is no list of promotions, so the first \(PutPromotionsRequest.entriesMax) products \(others) "
            + "are on the page, and it comes after them; put a list that names it."
    }

    private var imageRejected: String {
        let reason = promotions.image(of: productIdentifier)?.reason.map { " (\($0))" } ?? ""
        return "Its promotional image was rejected\(reason); upload another one, or approve it."
    }

    private var notAvailable: String {
        isInCatalog
            ? "It cannot be bought in this storefront; `explain` says why."
            : "The catalogue no longer has it; the entry counts again when an import brings the product back."
    }
}
