import StoreModels

/// Answers about products from memory.
struct ProductQueries: Sendable {
    static let identifiersMax = 500
    static let limitMax = 500
    /// StoreKit's limit of promoted products.
    static let promotedMax = 20
    /// Below the bus's 512 KiB for a reply, with room for what surrounds the products.
    static let replyBytesMax = 480 * 1024

    let directory: AppDirectory
    let storefronts: StorefrontTable

    /// Every identifier asked for stands in exactly one of the two lists (M2, M4), once (M7), in the order it was first
    /// asked. An unknown app has no products, so all of them are invalid (M137).
    /// - Throws: `requestInvalid`; `bodyTooLarge` when the answer does not fit one message.
    func query(_ request: ProductsRequest) throws(StoreError) -> ProductsReply {
        let entry = try storefronts.entry(request.storefront)
        guard request.productIdentifiers.count <= Self.identifiersMax else {
            throw StoreError(
                .requestInvalid,
                "$.productIdentifiers: has \(request.productIdentifiers.count) identifiers; ask for at most \(Self.identifiersMax)",
                details: ["path": "$.productIdentifiers"])
        }
        var reply = ProductsReply(products: [], invalidProductIdentifiers: [], catalogVersion: 0)
        let snapshot = directory.snapshot(of: request.bundleId)
        let selling = snapshot.flatMap { $0.isSelling ? $0.products(in: entry) : nil }
        reply.catalogVersion = snapshot?.app.catalogVersion ?? 0
        var seen: Set<ExactText> = []
        var byteCount = 0
        for identifier in request.productIdentifiers where seen.insert(ExactText(identifier)).inserted {
            if let selling, let position = snapshot?.position(of: identifier) {
                reply.products.append(selling.products[position])
                byteCount += selling.byteCounts[position]
            } else {
                reply.invalidProductIdentifiers.append(identifier)
                byteCount += identifier.utf8.count + 3
            }
        }
        guard byteCount <= Self.replyBytesMax else {
            throw StoreError(.bodyTooLarge, "the products asked for do not fit one answer; ask for fewer at a time")
        }
        return reply
    }

    /// A page in the catalogue's order, cut where it would not fit one message.
    /// - Throws: `requestInvalid` for a bad storefront, limit or `after`.
    func list(_ request: ProductsPageRequest) throws(StoreError) -> ProductsPage {
        let entry = try storefronts.entry(request.storefront)
        try Self.check(limit: request.limit)
        guard let snapshot = directory.snapshot(of: request.bundleId), snapshot.isSelling else {
            let version = directory.snapshot(of: request.bundleId)?.app.catalogVersion ?? 0
            return ProductsPage(products: [], after: nil, catalogVersion: version)
        }
        let catalog = snapshot.products(in: entry)
        var page = ProductsPage(products: [], after: nil, catalogVersion: snapshot.app.catalogVersion)
        var byteCount = 0
        for position in try start(request.after, snapshot)..<catalog.products.count {
            let product = catalog.products[position]
            if let type = request.type, product.type != type { continue }
            byteCount += catalog.byteCounts[position]
            if page.products.count == request.limit || byteCount > Self.replyBytesMax {
                page.after = page.products.last?.productIdentifier
                break
            }
            page.products.append(product)
        }
        return page
    }

    private func start(_ after: String?, _ snapshot: AppSnapshot) throws(StoreError) -> Int {
        guard let after else { return 0 }
        guard let position = snapshot.position(of: after) else {
            throw StoreError(
                .requestInvalid, "$.after: no product '\(after.prefix(100))'; begin the list again",
                details: ["path": "$.after"])
        }
        return position + 1
    }

    /// - Throws: `requestInvalid` for an unknown storefront.
    func quote(_ request: QuoteRequest) throws(StoreError) -> Quote {
        let entry = try storefronts.entry(request.storefront)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return Quote(catalogVersion: 0, availability: .unknown)
        }
        var quote = Quote(
            catalogVersion: snapshot.app.catalogVersion, availability: .unknown,
            unfinishedLimit: snapshot.app.settings.unfinishedLimit)
        guard let position = snapshot.position(of: request.productIdentifier) else { return quote }
        quote.availability = snapshot.isSelling ? .available : .notForSale
        quote.subscriptionLevel = snapshot.catalog.products[position].subscription?.level
        if snapshot.isSelling { quote.product = snapshot.products(in: entry).products[position] }
        return quote
    }

    /// The first twenty in the catalogue's order, as long as nobody has set up an order; none before the app is
    /// released (M109).
    /// - Throws: `requestInvalid` for an unknown storefront.
    func promoted(_ request: PromotedProductsRequest) throws(StoreError) -> PromotedProductsReply {
        let entry = try storefronts.entry(request.storefront)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            return PromotedProductsReply(products: [], catalogVersion: 0)
        }
        let isShown = snapshot.isSelling && snapshot.app.settings.released
        let products = isShown ? snapshot.products(in: entry).products.prefix(Self.promotedMax) : []
        return PromotedProductsReply(products: Array(products), catalogVersion: snapshot.app.catalogVersion)
    }

    static func check(limit: Int) throws(StoreError) {
        guard (1...limitMax).contains(limit) else {
            throw StoreError(.requestInvalid, "$.limit: must be from 1 to \(limitMax)", details: ["path": "$.limit"])
        }
    }
}
