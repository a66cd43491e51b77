import StoreModels

/// Handles queries about products from memory.
struct ProductQueries: Sendable {
    /// Maximum number of product identifiers in one query.
    static let identifiersMax = 500
    /// Maximum length of a page.
    static let limitMax = 500
    /// Maximum number of bytes of products in a reply. It is below the bus's 512 KiB for a reply, with room for the
    /// rest.
    static let replyBytesMax = 480 * 1024

    let directory: AppSnapshots
    let storefronts: StorefrontTable
    /// The wall clock, by which products become available.
    let now: @Sendable () -> Timestamp

    /// Returns requested products. Every requested identifier is in exactly one of the two lists (M2, M4), once (M7),
    /// in the order of its first occurrence. An unknown app has no products, so all identifiers are invalid (M137).
    /// - Throws: `requestInvalid`, or `bodyTooLarge` when the reply does not fit one message.
    func query(_ request: ProductsRequest) throws(StoreError) -> ProductsReplyOf<RawJSON> {
        let entry = try storefronts.entry(request.storefront)
        guard request.productIdentifiers.count <= Self.identifiersMax else {
            throw StoreError(
                .requestInvalid,
                "$.productIdentifiers: has \(request.productIdentifiers.count) identifiers; "
                    + "ask for at most \(Self.identifiersMax)",
                details: ["path": "$.productIdentifiers"])
        }
        var reply = ProductsReplyOf<RawJSON>(products: [], invalidProductIdentifiers: [], catalogVersion: 0)
        let snapshot = directory.snapshot(of: request.bundleId)
        let sale = snapshot.map { Sale($0, policy($0, entry), entry) }
        reply.catalogVersion = snapshot?.app.catalogVersion ?? 0
        var seen: Set<ExactText> = []
        var byteCount = 0
        for identifier in request.productIdentifiers where seen.insert(ExactText(identifier)).inserted {
            if let offered = sale?.offer(identifier) {
                reply.products.append(try offered.json())
                byteCount += offered.byteCount
            } else {
                reply.invalidProductIdentifiers.append(identifier)
                byteCount += identifier.utf8.count + 3
            }
        }
        guard byteCount <= Self.replyBytesMax else {
            throw StoreError(.bodyTooLarge, "the requested products do not fit one answer; request fewer at a time")
        }
        return reply
    }

    /// Lists a page of products in the catalogue's order, cut to fit one message.
    /// - Throws: `requestInvalid` for an invalid storefront or limit, or `notFound` for an `after` that is not a
    ///   product.
    func list(_ request: ProductsPageRequest) throws(StoreError) -> ProductsPage {
        let entry = try storefronts.entry(request.storefront)
        try Self.check(limit: request.limit)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return ProductsPage(products: [], after: nil, catalogVersion: 0)
        }
        let sale = Sale(snapshot, policy(snapshot, entry), entry)
        var page = ProductsPage(products: [], after: nil, catalogVersion: snapshot.app.catalogVersion)
        var byteCount = 0
        for position in try start(request.after, snapshot)..<snapshot.catalog.products.count {
            if let type = request.type, snapshot.catalog.products[position].type != type { continue }
            guard let offered = sale.offer(at: position) else { continue }
            byteCount += offered.byteCount
            if page.products.count == request.limit || byteCount > Self.replyBytesMax {
                page.after = page.products.last?.productIdentifier
                break
            }
            page.products.append(offered.product)
        }
        return page
    }

    /// Returns the position at which a page begins.
    /// - Throws: `notFound` for an `after` that is not a product.
    func start(_ after: String?, _ snapshot: AppSnapshot) throws(StoreError) -> Int {
        guard let after else { return 0 }
        guard let position = snapshot.position(of: after) else {
            throw StoreError(
                .notFound, "$.after: no product '\(after.prefix(100))'; begin the list again",
                details: ["path": "$.after"])
        }
        return position + 1
    }

    /// Returns a product's price and conditions for a purchase.
    /// - Throws: `requestInvalid` for an unknown storefront.
    func quote(_ request: QuoteRequest) throws(StoreError) -> Quote {
        let entry = try storefronts.entry(request.storefront)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return Quote(catalogVersion: 0, availability: .unknown)
        }
        var quote = Quote(
            catalogVersion: snapshot.app.catalogVersion, availability: .unknown,
            unfinishedLimit: snapshot.app.settings.unfinishedLimit, testerDefaults: snapshot.app.testerDefaults,
            billingGracePeriod: snapshot.app.settings.billingGracePeriod)
        guard let product = snapshot.product(request.productIdentifier) else { return quote }
        var policy = policy(snapshot, entry)
        policy.isTest = request.isTest == true
        let offered = Sale(snapshot, policy, entry).offer(request.productIdentifier)
        quote.availability = offered == nil ? .notForSale : .available
        quote.subscriptionLevel = product.subscription?.level
        quote.subscriptionGroupProducts = (product.subscription?.groupIdentifier).map(snapshot.index.products(ofGroup:))
        quote.product = offered?.product
        if offered != nil, product.subscription?.redeemableOffers.isEmpty == false {
            let presenter = StorefrontPresenter(entry: entry, defaultLocale: snapshot.catalog.defaultLocale)
            quote.redeemableOffers = presenter.redeemableOffers(of: product)
        }
        return quote
    }

    static func check(limit: Int) throws(StoreError) {
        guard (1...limitMax).contains(limit) else {
            throw StoreError(.requestInvalid, "$.limit: must be from 1 to \(limitMax)", details: ["path": "$.limit"])
        }
    }
}

extension ProductQueries {
    /// Lists a product's offers, for sale or not. The default storefront is that of the app's testers.
    /// - Throws: `notFound` for an unknown app, `productNotFound`, `requestInvalid` for an unknown storefront.
    func offers(_ request: ProductOffersRequest) throws(StoreError) -> ProductOffers {
        let product = try directory.product(request.productIdentifier, of: request.bundleId)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            throw CatalogStore.unknownApp(request.bundleId)
        }
        let entry = try storefronts.entry(request.storefront ?? testersStorefront(snapshot))
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: snapshot.catalog.defaultLocale)
        let shown = presenter.product(product)
        return ProductOffers(
            productIdentifier: product.productIdentifier, storefront: entry.storefront.countryCode,
            introductoryPrice: shown.introductoryPrice, discounts: shown.discounts,
            redeemableOffers: presenter.redeemableOffers(of: product))
    }

    /// Returns the storefront of the app's testers: the catalogue file's, else the United States'.
    func testersStorefront(_ snapshot: AppSnapshot) -> String {
        (snapshot.app.testerDefaults ?? TesterSettings()).over(.standard).storefront ?? "USA"
    }
}
