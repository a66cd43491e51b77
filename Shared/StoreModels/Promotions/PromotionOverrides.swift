/// What one device has set for one app, and nothing of any other device (M89, M95):
///
/// ```json
/// {"order":["com.example.hiddenBeaches","com.example.pro.monthly"],"visibility":{"com.example.pro.monthly":"hide"}}
/// ```
public struct PromotionOverrides: Hashable, Sendable, Codable {
    /// How many products an order may name.
    public static let orderMax = 500
    /// How many products of an app may have a visibility of the device's own (ours).
    public static let visibilityMax = 500

    /// Exactly as it was set; empty: no override (M100, M102).
    public var order: [String]
    /// Products with an override, never `default`.
    public var visibility: [ExactText: StorePromotionVisibility]

    public init(order: [String] = [], visibility: [ExactText: StorePromotionVisibility] = [:]) {
        self.order = order
        self.visibility = visibility
    }

    /// What the device has set for one product (M87).
    public func visibility(of productIdentifier: String) -> StorePromotionVisibility {
        visibility[productIdentifier] ?? .default
    }
}

/// One app on one device.
public struct InstallationReference: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    @ExactText public var deviceId: String
    public init(bundleId: String, deviceId: String) {
        self.bundleId = bundleId
        self.deviceId = deviceId
    }
}

/// What a store page needs of a device, in one answer.
public struct DevicePromotions: Hashable, Sendable, Codable {
    public var overrides: PromotionOverrides
    /// False before the first launch: until then there is nothing to override (M94).
    public var isLaunched: Bool
    /// Why this device shows no promotions at all, as ``PromotionSupport`` says it; absent when it shows them.
    public var unsupported: String?
    /// Whether the device is known at all; the capabilities of an unreported device are known from its session only.
    public var isKnown: Bool
    public init(
        overrides: PromotionOverrides, isLaunched: Bool, unsupported: String? = nil, isKnown: Bool = true
    ) {
        self.overrides = overrides
        self.isLaunched = isLaunched
        self.unsupported = unsupported
        self.isKnown = isKnown
    }
}

/// Replaces a device's order; empty clears it.
public struct PutPromotionOrderRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var productIdentifiers: [String]
    public init(bundleId: String, deviceId: String, productIdentifiers: [String]) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.productIdentifiers = productIdentifiers
    }
}

/// Sets a device's visibility of one product; `default` removes the override (M93).
public struct PutPromotionVisibilityRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var deviceId: String
    public var productIdentifier: String
    public var visibility: StorePromotionVisibility
    public init(bundleId: String, deviceId: String, productIdentifier: String, visibility: StorePromotionVisibility) {
        self.bundleId = bundleId
        self.deviceId = deviceId
        self.productIdentifier = productIdentifier
        self.visibility = visibility
    }
}
