/// One device's settings for one app (M89, M95):
///
/// ```json
/// {"order":["com.example.hiddenBeaches","com.example.pro.monthly"],"visibility":{"com.example.pro.monthly":"hide"}}
/// ```
public struct PromotionOverrides: Hashable, Sendable, Codable {
    /// The most products in an order.
    public static let orderMax = 500
    /// The most products of an app with a visibility of the device (this store's limit).
    public static let visibilityMax = 500

    /// The order exactly as it was set. Empty without an override (M100, M102).
    public var order: [String]
    /// Products with an override, never `default`.
    public var visibility: [ExactText: StorePromotionVisibility]

    public init(order: [String] = [], visibility: [ExactText: StorePromotionVisibility] = [:]) {
        self.order = order
        self.visibility = visibility
    }

    /// The device's setting for one product (M87).
    public func visibility(of productIdentifier: String) -> StorePromotionVisibility {
        visibility[productIdentifier] ?? .default
    }
}

/// One app on one device.
public struct InstallationReference: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    /// 1…255 characters, compared byte by byte.
    @ExactText public var deviceId: String
}

/// The data of a device that a store page needs, in one answer.
public struct DevicePromotions: Hashable, Sendable, Codable {
    /// Both parts empty without any override.
    public var overrides: PromotionOverrides
    /// Whether the app was launched. Before that its promotions cannot be overridden (M94).
    public var isLaunched: Bool
    /// The reason why this device shows no promotions at all, as ``PromotionSupport`` gives it. Absent if it shows
    /// them.
    public var unsupported: String?
    /// Whether the device was ever reported. An unreported device's capabilities are known from its session only.
    public var isKnown: Bool = true
}

/// Replaces a device's order. An empty order clears it.
public struct PutPromotionOrderRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// At most ``PromotionOverrides/orderMax``. Unknown products are kept and not shown.
    public var productIdentifiers: [String]
}

/// Sets a device's visibility of one product. `default` removes the override (M93).
public struct PutPromotionVisibilityRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The device of the client's session.
    public var deviceId: String
    /// A product of the app's catalogue.
    public var productIdentifier: String
    /// `default` is deleted instead of stored.
    public var visibility: StorePromotionVisibility
}
