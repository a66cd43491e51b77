/// PromotionController's request subjects, `sb.promotion.v1.…`.
public enum PromotionEndpoints {
    /// The app was launched on a device: creates or refreshes device and installation.
    public static let deviceLaunched = Endpoint<DeviceLaunch, Empty>(
        .promotionController, "device.launched", isIdempotent: true)
    /// The store page of one app on one device: visible promoted products in this device's order.
    public static let listPromotions = Endpoint<PromotionsRequest, PromotionsReply>(
        .promotionController, "promotions.list", isIdempotent: true)
}

/// What a session says of the device and the installation it runs on.
public struct DeviceLaunch: Hashable, Sendable, Codable {
    public enum Platform: String, CaseIterable, Sendable, Codable {
        case iOS, iPadOS, macOS, tvOS, watchOS, visionOS, iOSAppOnVisionOS, other
    }

    /// Which way the app handles promoted purchases; either, never both (M60).
    public enum PromotedPurchases: String, CaseIterable, Sendable, Codable { case delegate, purchaseIntent, none }

    public var bundleId: String
    public var deviceId: String
    public var platform: Platform
    public var osVersion: String
    public var appVersion: String
    public var promotedPurchases: PromotedPurchases
    public init(
        bundleId: String, deviceId: String, platform: Platform, osVersion: String, appVersion: String,
        promotedPurchases: PromotedPurchases
    ) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.promotedPurchases = promotedPurchases
    }
}

public struct PromotionsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var storefront: String
    public init(bundleId: String, deviceId: String, storefront: String) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.storefront = storefront
    }
}

public struct PromotionsReply: Hashable, Sendable, Codable {
    public var products: [Product]
    public init(products: [Product]) { self.products = products }
}
