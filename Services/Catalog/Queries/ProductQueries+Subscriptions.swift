import StoreModels

extension ProductQueries {
    /// Lists a page of the app's subscriptions with their groups, cut to fit one message. Empty for an unknown app.
    /// - Throws: `requestInvalid` for an invalid storefront or limit, or `notFound` for an `after` that is not a
    ///   product.
    func subscriptions(_ request: SubscriptionProductsRequest) throws(StoreError) -> SubscriptionProductsPage {
        let entry = try storefronts.entry(request.storefront)
        try Self.check(limit: request.limit)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return SubscriptionProductsPage(subscriptions: [], after: nil, catalogVersion: 0)
        }
        let policy = policy(snapshot, entry)
        var page = SubscriptionProductsPage(
            subscriptions: [], after: nil, catalogVersion: snapshot.app.catalogVersion)
        var byteCount = 0
        for product in snapshot.catalog.products[try start(request.after, snapshot)...] {
            guard let group = product.subscription?.groupIdentifier else { continue }
            byteCount += 100 + JSONSize.most(product.productIdentifier) + JSONSize.most(group)
            if page.subscriptions.count == request.limit || byteCount > Self.replyBytesMax {
                page.after = page.subscriptions.last?.productIdentifier
                break
            }
            page.subscriptions.append(
                SubscriptionProduct(
                    productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group,
                    isAvailable: policy.isAvailable(product)))
        }
        return page
    }
}
