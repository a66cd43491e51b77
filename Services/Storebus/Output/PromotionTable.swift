import StoreModels

/// The operator's list as `storebus promo list` shows it.
enum PromotionTable {
    static func table(_ setup: PromotionSetup) -> Table {
        var table = Table([
            .init("PLACE", .right), .init("PRODUCT"), .init("VISIBLE"), .init("PROMOTED", isState: true),
            .init("IMAGE", isState: true), .init("REASON"), .init("WHAT TO DO"),
        ])
        for (index, item) in setup.promotions.enumerated() {
            table.add([
                "\(index + 1)", item.productIdentifier, item.visible ? "yes" : "hidden", item.promoted ? "yes" : "no",
                item.image?.state.rawValue ?? "-", item.reasons.map(\.rawValue).joined(separator: ", "),
                item.details.joined(separator: " "),
            ])
        }
        return table
    }

    /// - Parameter before: the list this one has replaced, when it has.
    static func answer(_ setup: PromotionSetup, replacing before: PromotionSetup? = nil) -> Answer {
        let items = setup.promotions.enumerated().map { index, item -> JSONValue in
            var members = JSONText.value(item).objectValue ?? [:]
            members["place"] = .integer(index + 1)
            members["isPreview"] = .bool(setup.isPreview)
            return .object(members)
        }
        return Answer(
            table(setup), items: items, names: setup.promotions.map(\.productIdentifier), next: next(setup),
            notes: notes(setup, before), ifEmpty: "no promotions")
    }

    private static func notes(_ setup: PromotionSetup, _ before: PromotionSetup?) -> [String] {
        if setup.isPreview {
            return ["nothing is set up yet: this is a preview, which ends with the first list or image"]
        }
        if before?.isPreview == true {
            return ["the preview is over: from now on a product is promoted once its image is approved"]
        }
        return []
    }

    /// What still has to be done for the first product that is not promoted, else a look at the page.
    private static func next(_ setup: PromotionSetup) -> String {
        let option = Known.option(setup.bundleId)
        for item in setup.promotions {
            let product = item.productIdentifier
            if item.reasons.contains(.noImage) || item.reasons.contains(.imageRejected) {
                return "storebus promo image put \(product) FILE\(option)"
            }
            if item.reasons.contains(.imageWaitingForReview) {
                return "storebus promo image approve \(product)\(option)"
            }
        }
        return setup.isPreview
            ? "storebus promo order PRODUCT…\(option)" : "storebus page --as alice\(option)"
    }
}
