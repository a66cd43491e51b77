/// Catalog's request subjects, `sb.catalog.v1.…`.
public enum CatalogEndpoints {
    /// Reads an app with its settings, or throws `notFound` for an unknown one.
    public static let getApp = Endpoint<AppRequest, App>(.catalog, "app.get", isIdempotent: true, errors: [.notFound])
    /// Reads the app's version, on a lease where the request names a holder. Zeros for an app that does not exist.
    public static let leaseApp = Endpoint<AppLeaseRequest, LeasedVersion<AppVersion>>(
        .catalog, "app.lease", isIdempotent: true, errors: [])
    /// Creates an app or replaces its settings. Repeating the request changes nothing.
    public static let putApp = Endpoint<PutAppRequest, App>(.catalog, "app.put", isIdempotent: true, errors: [])
    /// Lists the apps by bundle identifier, for the operator.
    public static let listApps = Endpoint<PageRequest, AppsPage>(.catalog, "app.list", isIdempotent: true, errors: [])

    /// Copies an app with its catalogue, content, images and promotions into an isolated store. A repeated request
    /// changes nothing.
    public static let copyApp = Endpoint<CopyAppRequest, App>(
        .catalog, "app.copy", isIdempotent: true, errors: [.notFound])
    /// Removes an isolated store's app, or closes one that is being deleted.
    ///
    /// The last request of a deletion removes the closed app. Until then its name is refused, and nothing is sold under
    /// it.
    public static let removeApp = Endpoint<RemoveAppRequest, RemoveAppReply>(
        .catalog, "app.remove", isIdempotent: true, errors: [])

    /// Begins an import of a catalogue in parts: begin, parts, commit. No message on the bus is larger than 512 KiB.
    /// Only the commit changes the catalogue in force.
    public static let beginImport = Endpoint<BeginImportRequest, BeginImportReply>(
        .catalog, "import.begin", isIdempotent: false, errors: [.bodyTooLarge, .rateLimited])
    /// Adds a part of a catalogue file. A repeated index replaces the part.
    public static let addImportPart = Endpoint<ImportPartRequest, Empty>(
        .catalog, "import.part", isIdempotent: true, errors: [.notFound, .bodyTooLarge])
    /// Puts an uploaded catalogue into force. A repeated commit returns the first report.
    public static let commitImport = Endpoint<CommitImportRequest, ImportReport>(
        .catalog, "import.commit", isIdempotent: true, errors: [.notFound, .catalogInvalid])
    /// Makes the report of `commitImport` and deletes the import. Nothing takes effect.
    public static let tryImport = Endpoint<CommitImportRequest, ImportReport>(
        .catalog, "import.try", isIdempotent: false, errors: [.notFound, .catalogInvalid])
    /// Reads the file in force as it was imported, part by part, unknown members included. Private keys are masked.
    public static let exportPart = Endpoint<ExportPartRequest, ExportPartReply>(
        .catalog, "export.part", isIdempotent: true, errors: [.notFound])

    /// Begins an upload of hosted content in parts, like a catalogue: begin, parts, commit.
    public static let beginContent = Endpoint<BeginContentRequest, BeginContentReply>(
        .catalog, "content.begin", isIdempotent: false,
        errors: [.notFound, .productNotFound, .catalogInvalid, .rateLimited])
    /// Adds a part of a package. A repeated offset changes nothing.
    public static let addContentPart = Endpoint<ContentPartRequest, Empty>(
        .catalog, "content.part", isIdempotent: true, errors: [.notFound, .bodyTooLarge, .catalogInvalid])
    /// Puts an uploaded package into force after checking its length.
    public static let commitContent = Endpoint<CommitContentRequest, CommitContentReply>(
        .catalog, "content.commit", isIdempotent: true, errors: [.notFound, .productNotFound, .catalogInvalid])
    /// Reads size and hash of a product's package, for its download.
    public static let getContent = Endpoint<ContentRequest, HostedContent>(
        .catalog, "content.get", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Reads bytes of a package, at most ``ContentPartRequest/bytesMax``.
    public static let readContent = Endpoint<ReadContentRequest, ContentPart>(
        .catalog, "content.read", isIdempotent: true, errors: [.notFound])

    /// Reads up to 500 products by identifier, for a customer's storefront.
    public static let queryProducts = queryProducts(as: Product.self)
    /// The same request, for a caller that decodes less than whole products.
    public static func queryProducts<Item>(as item: Item.Type) -> Endpoint<ProductsRequest, ProductsReplyOf<Item>> {
        Endpoint(.catalog, "products.query", isIdempotent: true, errors: [.bodyTooLarge])
    }
    /// Lists the products on sale in a storefront, by page.
    public static let listProducts = Endpoint<ProductsPageRequest, ProductsPage>(
        .catalog, "products.list", isIdempotent: true, errors: [.notFound])
    /// Lists the subscriptions with their groups, for sale or not.
    public static let listSubscriptions = Endpoint<SubscriptionProductsRequest, SubscriptionProductsPage>(
        .catalog, "subscriptions.list", isIdempotent: true, errors: [.notFound])
    /// Reads the data for selling one product, for a payment.
    public static let quoteProduct = Endpoint<QuoteRequest, Quote>(
        .catalog, "products.quote", isIdempotent: true, errors: [])
    /// Lists all offers of a subscription. The redeemable ones are included, which customers' lists of products do not
    /// show.
    public static let productOffers = Endpoint<ProductOffersRequest, ProductOffers>(
        .catalog, "products.offers", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Lists the promoted products in the operator's order, else in the catalogue's.
    public static let listPromotions = listPromotions(as: Product.self)
    /// The same request, for a caller that decodes less than whole products.
    public static func listPromotions<Item>(
        as item: Item.Type
    ) -> Endpoint<PromotedProductsRequest, PromotedProductsReplyOf<Item>> {
        Endpoint(.catalog, "promotions.list", isIdempotent: true, errors: [])
    }
    /// Lists the storefronts with their codes and numbers only.
    public static let listStorefronts = Endpoint<Empty, StorefrontsReply>(
        .catalog, "storefronts.list", isIdempotent: true, errors: [])
    /// Lists the storefronts with their names, currencies and languages.
    public static let describeStorefronts = Endpoint<Empty, StorefrontDescriptions>(
        .catalog, "storefronts.describe", isIdempotent: true, errors: [])
    /// Explains why a product can or cannot be bought in a storefront.
    public static let explainProduct = Endpoint<ExplainProductRequest, ProductExplanation>(
        .catalog, "products.explain", isIdempotent: true, errors: [.notFound])

    /// Replaces the operator's list of promoted products.
    /// - Throws: `requestInvalid` for too many products or a repeated one.
    public static let putPromotions = Endpoint<PutPromotionsRequest, PromotionSetup>(
        .catalog, "promotions.put", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Reads the operator's list with the reasons that keep products off the page.
    public static let getPromotions = Endpoint<AppRequest, PromotionSetup>(
        .catalog, "promotions.get", isIdempotent: true, errors: [.notFound])
    /// Reads the data for starting a purchase in the store.
    public static let productPromotion = Endpoint<ProductPromotionRequest, PromotedProductFacts>(
        .catalog, "products.promotion", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Begins an upload of a promotional image in parts, as of hosted content.
    public static let beginImage = Endpoint<BeginImageRequest, BeginContentReply>(
        .catalog, "image.begin", isIdempotent: false, errors: [.notFound, .productNotFound, .rateLimited])
    /// Adds a part of an image. A repeated offset changes nothing.
    public static let addImagePart = Endpoint<ContentPartRequest, Empty>(
        .catalog, "image.part", isIdempotent: true, errors: [.notFound, .bodyTooLarge])
    /// Activates an uploaded image and begins its review.
    /// - Throws: `requestInvalid` with status 422 when it is not a PNG or JPEG of 1024×1024.
    public static let commitImage = Endpoint<CommitContentRequest, PromotionImage>(
        .catalog, "image.commit", isIdempotent: true, errors: [.notFound])
    /// Reads an image's size, hash and state of review.
    public static let getImage = Endpoint<ProductReference, PromotionImage>(
        .catalog, "image.get", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Reads bytes of an image, at most ``ContentPartRequest/bytesMax``.
    public static let readImage = Endpoint<ReadImageRequest, ContentPart>(
        .catalog, "image.read", isIdempotent: true, errors: [.notFound])
    /// Approves or rejects an image, for the operator.
    public static let reviewImage = Endpoint<ReviewImageRequest, PromotionImage>(
        .catalog, "image.review", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Replaces the featured tab of a scope's apps.
    public static let putFeatured = Endpoint<PutFeaturedRequest, FeaturedList>(
        .catalog, "featured.put", isIdempotent: true, errors: [.notFound, .productNotFound])
    /// Reads the featured tab of a scope's apps.
    public static let getFeatured = Endpoint<FeaturedRequest, FeaturedList>(
        .catalog, "featured.get", isIdempotent: true, errors: [])
}
