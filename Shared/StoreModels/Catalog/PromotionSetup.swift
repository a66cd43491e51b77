/// The operator's list of promoted products: order and default visibility (M67, M68).
///
/// ```json
/// {"productIdentifier":"com.example.pro.monthly","visible":true}
/// ```
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","visible":false}
/// ```
public struct PromotionEntry: Hashable, Sendable, Codable {
    @ExactText public var productIdentifier: String
    /// The default for devices. An override of the device precedes it (M87).
    public var visible: Bool
}

/// Replaces an app's list. It has at most ``entriesMax`` entries, each product once.
public struct PutPromotionsRequest: Hashable, Sendable, Codable {
    /// StoreKit's limit of promoted products.
    public static let entriesMax = 20
    public var bundleId: String
    /// In the order of the store page. An empty list promotes no product.
    public var entries: [PromotionEntry]
}

/// The operator's promotions, with the reasons that keep each product off the store page:
///
/// ```json
/// {"bundleId":"com.example.app","isPreview":false,"promotions":[{"productIdentifier":"com.example.pro.monthly",
///  "visible":true,"promoted":false,"reasons":["noImage"],"details":["…"]}]}
/// ```
public struct PromotionSetup: Hashable, Sendable, Codable {
    /// A product of the list, or of the page if the app has no list.
    public struct Item: Hashable, Sendable, Codable {
        public var productIdentifier: String
        /// As ``PromotionEntry/visible``. True if the app has no list.
        public var visible: Bool
        /// Whether the product is shown where it is visible. `reasons` is empty exactly then.
        public var promoted: Bool
        /// Absent when the operator has uploaded none.
        public var image: PromotionImage?
        /// Each reason once. Empty exactly when `promoted` is true.
        public var reasons: [PromotionExplanation.Reason]
        /// One sentence for each reason, in the same order.
        public var details: [String]
        public init(
            productIdentifier: String, visible: Bool, image: PromotionImage?,
            reasons: [PromotionExplanation.Reason], details: [String]
        ) {
            self.productIdentifier = productIdentifier
            self.visible = visible
            self.promoted = reasons.isEmpty
            self.image = image
            self.reasons = reasons
            self.details = details
        }
    }

    @ShownApp public var bundleId: String
    /// Whether the app has neither a list nor an image. The page then shows the first products of the catalogue without
    /// images.
    public var isPreview: Bool
    /// In the order of the store page, shown or not.
    public var promotions: [Item]
}

/// The reasons why a product is not promoted. It is part of `explain`'s answer.
public struct PromotionExplanation: Hashable, Sendable, Codable {
    /// A reason that keeps a product off the store page.
    public enum Reason: String, CaseIterable, Sendable, Codable {
        case notInPromotions, noImage, imageWaitingForReview, imageRejected
        /// The product cannot be bought. `explain` says why.
        case notAvailable
        case appNotReleased
    }

    /// Empty when it is promoted.
    public var reasons: [Reason]
    /// One sentence for each reason, with the change to make.
    public var details: [String]
}

/// A promotional image and the state of its review (M66):
///
/// ```json
/// {"productIdentifier":"com.example.pro.monthly","state":"waiting","format":"png","width":1024,"height":1024,
///  "length":73412,"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
/// ```
public struct PromotionImage: Hashable, Sendable, Codable {
    /// The state of an image's review. Only an approved image is shown.
    public enum State: String, CaseIterable, Sendable, Codable { case waiting, approved, rejected }
    /// The formats that App Store Connect accepts.
    public enum Format: String, CaseIterable, Sendable, Codable { case png, jpeg }

    /// The width and height that App Store Connect asks for, in pixels.
    public static let side = 1024
    /// Bytes.
    public static let lengthMax: Int64 = 4 * 1024 * 1024

    public var productIdentifier: String
    /// The state of the operator's review. An upload begins with `waiting`.
    public var state: State
    /// Read from the file's header, never from its name.
    public var format: Format
    /// Pixels, from the file's header, as `height`.
    public var width: Int
    /// Pixels. Always ``side``, as `width`.
    public var height: Int
    /// Bytes.
    public var length: Int64
    /// 64 hexadecimal digits.
    public var sha256: String
    /// The operator's reason for a rejection, if given.
    public var reason: String?
}

/// A product of an app.
///
/// ```json
/// {"bundleId":"com.example.app","productIdentifier":"com.example.pro.monthly"}
/// ```
public struct ProductReference: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    @ExactText public var productIdentifier: String
}

/// Begins the upload of a promotional image. Parts follow as ``ContentPartRequest``, then ``CommitContentRequest``,
/// which checks the file's header.
public struct BeginImageRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// A product of the app's catalogue, promoted or not.
    public var productIdentifier: String
}

/// Reads at most ``ContentPartRequest/bytesMax`` bytes of the image `sha256` from `offset`. An image replaced meanwhile
/// is `notFound`.
public struct ReadImageRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// The hash from ``PromotionImage/sha256``, 64 hexadecimal digits.
    public var sha256: String
    /// Bytes before the part, from 0.
    public var offset: Int64
}

/// The operator's verdict on a promotional image.
public struct ReviewImageRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// False rejects the image.
    public var isApproved: Bool
    /// The reason of a rejection.
    public var reason: String?
}

/// Asks for the featured tab of a scope.
public struct FeaturedRequest: Hashable, Sendable, Codable {
    public var scope: IsolationScope
}

/// Replaces the featured tab of a scope.
public struct PutFeaturedRequest: Hashable, Sendable, Codable {
    public var scope: IsolationScope
    /// At most ``FeaturedList/productsMax``, of apps in the scope, each once.
    public var products: [ProductReference]
    public init(_ products: [ProductReference], in scope: IsolationScope) {
        self.scope = scope
        self.products = products
    }
}

/// The featured tab of a scope, across its apps, in its order. PUT replaces it.
public struct FeaturedList: Hashable, Sendable, Codable {
    /// The most products of the tab, all apps together.
    public static let productsMax = 100
    /// In the order of the tab, each product once.
    public var products: [ProductReference]
}

/// Asks for a product on which a user taps Buy in the store.
public struct ProductPromotionRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// Alpha-3 country code of the customer's storefront.
    public var storefront: String
}
