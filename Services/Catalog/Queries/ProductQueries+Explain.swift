import StoreModels

extension ProductQueries {
    /// Explains whether a product can be bought and is promoted in a storefront (M5, M66). The reply has every reason
    /// why not.
    ///
    /// The default storefront is that of the app's testers: the catalogue file's, else the United States'.
    /// - Throws: `notFound` for an unknown app, `requestInvalid` for an unknown storefront.
    func explain(_ request: ExplainProductRequest) throws(StoreError) -> ProductExplanation {
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            throw CatalogStore.unknownApp(request.bundleId)
        }
        let entry = try storefronts.entry(request.storefront ?? testersStorefront(snapshot))
        let product = snapshot.product(request.productIdentifier)
        let owners = product == nil ? directory.owners(of: request.productIdentifier) : []
        let subject: AvailabilityPolicy.Subject =
            product.map { .product($0) } ?? (owners.isEmpty ? .nothing : .productElsewhere)
        let reasons = policy(snapshot, entry).reasons(against: subject)
        let sentences = ReasonSentences(
            bundleId: request.bundleId, productIdentifier: String(request.productIdentifier.prefix(100)), entry: entry,
            product: product, otherApps: owners,
            similar: product == nil ? snapshot.similar(to: request.productIdentifier) : nil)
        let promotion = product.map { _ in
            PromotionPolicy(snapshot: snapshot, availability: policy(snapshot, entry))
                .explanation(of: request.productIdentifier)
        }
        return ProductExplanation(
            productIdentifier: request.productIdentifier, storefront: entry.storefront.countryCode, reasons: reasons,
            details: reasons.map(sentences.sentence), promotion: promotion)
    }

    /// Returns the availability policy of an app in a storefront at this moment.
    func policy(_ snapshot: AppSnapshot, _ entry: StorefrontEntry) -> AvailabilityPolicy {
        AvailabilityPolicy(
            agreementsActive: snapshot.app.settings.agreementsActive, contents: snapshot.contents,
            storefront: entry.storefront.countryCode, now: now())
    }
}
