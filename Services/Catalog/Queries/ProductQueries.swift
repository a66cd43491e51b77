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
    /// - Throws: `requestInvalid` for an unknown storefront or language, or `bodyTooLarge` when the reply does not fit one message.
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
        let language = try request.language.map(Self.language)
        let sale = snapshot.map { snapshot in
            Sale(
                snapshot, policy(snapshot, entry),
                language.map { snapshot.index.entry(entry, preferring: $0) } ?? entry)
        }
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

    private static func language(_ text: String) throws(StoreError) -> LocaleName {
        guard let language = LocaleName(text), !text.contains("@") else {
            throw StoreError(
                .requestInvalid,
                "$.language: '\(text.prefix(20))' is not a language; it must be one such as fr or pt_BR",
                details: ["path": "$.language"])
        }
        return language
    }

    /// Lists a page of products in the catalogue's order, cut to fit one message.
    /// - Throws: `requestInvalid` for an invalid storefront or limit, or `notFound` for an `after` that is not a
    ///   product.
    func list(_ request: ProductsPageRequest) throws(StoreError) -> ProductsPage {
        let current = directory.snapshot(of: request.bundleId)
        let entry = try storefronts.entry(request.storefront ?? testersStorefront(current))
        try Self.check(limit: request.limit)
        guard let snapshot = current else { return ProductsPage(products: [], after: nil, catalogVersion: 0) }
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
        guard let position = snapshot.index.position(of: after) else {
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
            return Quote(catalogVersion: 0, settingsRevision: 0, availability: .unknown)
        }
        var quote = Quote(
            catalogVersion: snapshot.app.catalogVersion, settingsRevision: snapshot.settingsRevision,
            availability: .unknown, unfinishedLimit: snapshot.app.settings.unfinishedLimit,
            testerDefaults: snapshot.app.testerDefaults, billingGracePeriod: snapshot.app.settings.billingGracePeriod)
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
    func testersStorefront(_ snapshot: AppSnapshot?) -> String {
        (snapshot?.app.testerDefaults ?? TesterSettings()).over(.standard).storefront ?? "USA"
    }
}

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

extension ProductQueries {
    /// Lists promoted products in the operator's order, including hidden ones. Empty for an unknown app.
    /// - Throws: `requestInvalid` for an unknown storefront.
    func promoted(_ request: PromotedProductsRequest) throws(StoreError) -> PromotedProductsReplyOf<RawJSON> {
        let entry = try storefronts.entry(request.storefront)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return PromotedProductsReplyOf(products: [], catalogVersion: 0)
        }
        let policy = PromotionPolicy(snapshot: snapshot, availability: policy(snapshot, entry))
        let presented = snapshot.index.products(in: entry)
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
            let position = snapshot.index.position(of: request.productIdentifier)
        else { throw CatalogStore.unknownApp(request.bundleId) }
        let availability = policy(snapshot, entry)
        let promoted = PromotionPolicy(snapshot: snapshot, availability: availability).promoted(at: position)
        let settings = snapshot.app.settings
        return PromotedProductFacts(
            product: snapshot.index.products(in: entry).products[position], isPromoted: promoted != nil,
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
        let position = snapshot.index.position(of: productIdentifier)
        let reasons = position.map(reasons) ?? [.notAvailable]
        let sentences = PromotionSentences(
            bundleId: snapshot.app.bundleId, productIdentifier: productIdentifier, promotions: snapshot.promotions,
            isInCatalog: position != nil)
        return PromotionExplanation(reasons: reasons, details: reasons.map(sentences.sentence))
    }
}

/// The products on sale in one app and storefront, for one request.
struct Sale: Sendable {
    /// A product as the storefront shows it.
    struct Offer: Sendable {
        let product: Product
        fileprivate let presented: PresentedCatalog
        fileprivate let position: Int
        /// An upper bound of the product's size on the wire.
        let byteCount: Int

        /// Returns the product's JSON, which is encoded once.
        func json() throws(StoreError) -> RawJSON { try presented.json(at: position) }
    }

    private let snapshot: AppSnapshot
    private let policy: AvailabilityPolicy
    private let presented: PresentedCatalog

    init(_ snapshot: AppSnapshot, _ policy: AvailabilityPolicy, _ entry: StorefrontEntry) {
        self.snapshot = snapshot
        self.policy = policy
        presented = snapshot.index.products(in: entry)
    }

    /// Returns a product on sale, if the app has it and it can be bought.
    func offer(_ productIdentifier: String) -> Offer? {
        snapshot.index.position(of: productIdentifier).flatMap { offer(at: $0) }
    }

    /// Returns the product at a position of the catalogue, if it can be bought.
    func offer(at position: Int) -> Offer? {
        guard policy.isAvailable(snapshot.catalog.products[position]) else { return nil }
        return Offer(
            product: presented.products[position], presented: presented, position: position,
            byteCount: presented.byteCounts[position])
    }
}
