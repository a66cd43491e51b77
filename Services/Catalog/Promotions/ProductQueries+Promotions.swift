import StoreModels

extension ProductQueries {
    /// Lists promoted products in the operator's order, including hidden ones. Empty for an unknown app.
    /// - Throws: `requestInvalid` for an unknown storefront.
    func promoted(_ request: PromotedProductsRequest) throws(StoreError) -> PromotedProductsReplyOf<RawJSON> {
        let entry = try storefronts.entry(request.storefront)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return PromotedProductsReplyOf(products: [], catalogVersion: 0)
        }
        let policy = PromotionPolicy(snapshot: snapshot, availability: policy(snapshot, entry))
        let presented = snapshot.products(in: entry)
        var reply = PromotedProductsReplyOf<RawJSON>(
            products: [], appName: snapshot.app.settings.name, catalogVersion: snapshot.app.catalogVersion)
        var listed: Set<ExactText> = []
        var byteCount = 0
        for promoted in policy.promoted() {
            byteCount += presented.byteCounts[promoted.position]
            // Twenty products fit unless their texts are very long.
            guard byteCount <= Self.replyBytesMax else { break }
            let identifier = presented.products[promoted.position].productIdentifier
            reply.products.append(try presented.json(at: promoted.position))
            if !promoted.isVisible { reply.hiddenProductIdentifiers.append(identifier) }
            listed.insert(ExactText(identifier))
        }
        reply.featuredProductIdentifiers = snapshot.promotions.featured.filter { listed.contains(ExactText($0)) }
        return reply
    }

    /// Returns a product's data for starting a purchase in the store, available or not (M109).
    /// - Throws: `notFound` for an unknown app, `productNotFound`, `requestInvalid` for an unknown storefront.
    func promotion(_ request: ProductPromotionRequest) throws(StoreError) -> PromotedProductFacts {
        let entry = try storefronts.entry(request.storefront)
        _ = try directory.product(request.productIdentifier, of: request.bundleId)
        guard let snapshot = directory.snapshot(of: request.bundleId),
            let position = snapshot.position(of: request.productIdentifier)
        else { throw CatalogStore.unknownApp(request.bundleId) }
        let availability = policy(snapshot, entry)
        let promoted = PromotionPolicy(snapshot: snapshot, availability: availability).promoted(at: position)
        let settings = snapshot.app.settings
        return PromotedProductFacts(
            product: snapshot.products(in: entry).products[position], isPromoted: promoted != nil,
            isAvailable: availability.isAvailable(snapshot.catalog.products[position]), appPrice: settings.appPrice,
            currentVersion: settings.currentVersion, promotionsSupportedSince: settings.promotionsSupportedSince,
            isHidden: promoted?.isVisible == false ? true : nil)
    }

    /// Returns the promotion policy in the storefront of the app's testers.
    func promotionPolicy(_ snapshot: AppSnapshot) throws(StoreError) -> PromotionPolicy {
        let entry = try storefronts.entry(testersStorefront(snapshot))
        return PromotionPolicy(snapshot: snapshot, availability: policy(snapshot, entry))
    }
}

extension PromotionPolicy {
    /// Explains why a product is not promoted, also in sentences. The catalogue may no longer have the product.
    func explanation(of productIdentifier: String) -> PromotionExplanation {
        let position = snapshot.position(of: productIdentifier)
        let reasons = position.map(reasons) ?? [.notAvailable]
        let sentences = PromotionSentences(
            bundleId: snapshot.app.bundleId, productIdentifier: productIdentifier, promotions: snapshot.promotions,
            isInCatalog: position != nil)
        return PromotionExplanation(reasons: reasons, details: reasons.map(sentences.sentence))
    }
}
