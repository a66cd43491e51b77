import StoreModels

/// Changes the operator's list, which the store takes as a whole only.
struct PromotionList: Sendable {
    let context: CommandContext

    /// Exactly these; what was hidden stays hidden.
    func order(_ products: [String]) async throws(CLIError) -> Answer {
        let before = try await context.api.promotions(context.bundleId)
        let hidden = Set(exactly: before.promotions.filter { !$0.visible }.map(\.productIdentifier))
        return try await put(
            products.map { PromotionEntry(productIdentifier: $0, visible: !hidden.containsExactly($0)) }, before)
    }

    /// One that is not in the list comes to its end.
    func set(isVisible: Bool, _ product: String) async throws(CLIError) -> Answer {
        let before = try await context.api.promotions(context.bundleId)
        var entries = Self.entries(before)
        if let index = entries.firstIndex(where: { $0.productIdentifier.isExactly(product) }) {
            entries[index].visible = isVisible
        } else {
            entries.append(PromotionEntry(productIdentifier: product, visible: isVisible))
        }
        return try await put(entries, before)
    }

    /// The same products in the catalogue's order, all visible.
    func reset() async throws(CLIError) -> Answer {
        let before = try await context.api.promotions(context.bundleId)
        let catalogue = try await context.api.catalogProducts(context.bundleId, storefront: "USA")
            .map(\.productIdentifier)
        let listed = Self.entries(before).map(\.productIdentifier)
        // What cannot be bought at present is in no list of products; it keeps its place behind the others.
        let ordered = catalogue.filter { listed.contains($0) } + listed.filter { !catalogue.contains($0) }
        return try await put(ordered.map { PromotionEntry(productIdentifier: $0, visible: true) }, before)
    }

    /// Without a list of its own an app may have more products with images than a list has room for.
    private static func entries(_ setup: PromotionSetup) -> [PromotionEntry] {
        setup.promotions.prefix(PutPromotionsRequest.entriesMax).map {
            PromotionEntry(productIdentifier: $0.productIdentifier, visible: $0.visible)
        }
    }

    private func put(_ entries: [PromotionEntry], _ before: PromotionSetup) async throws(CLIError) -> Answer {
        let after = try await Known.suggestingProduct(entries.map(\.productIdentifier), context) {
            () throws(CLIError) in
            try await context.api.putPromotions(entries, bundleId: context.bundleId)
        }
        return PromotionTable.answer(after, replacing: before)
    }
}
