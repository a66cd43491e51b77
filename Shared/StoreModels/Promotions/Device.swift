/// A device and the apps on it, for the operator (`/admin/v1/devices/{deviceId}`):
///
/// ```json
/// {"deviceId":"alice-1","platform":"iOS","osVersion":"17.4","apps":[{"bundleId":"com.example.app","version":"1.0",
///  "promotedPurchases":"delegate","isLaunched":true,"overrides":{"order":[],
///  "visibility":{"com.example.pro.monthly":"hide"}}}]}
/// ```
public struct Device: Hashable, Sendable, Codable {
    /// An app on the device.
    public struct InstalledApp: Hashable, Sendable, Codable {
        @ShownApp public var bundleId: String
        /// The app's version on the device, integers with dots: `1.0`.
        public var version: String
        /// Declared by its last launch, or set by the operator. Absent until it is known.
        public var promotedPurchases: DeviceLaunch.PromotedPurchases?
        /// Whether the app was ever launched on the device since its installation.
        public var isLaunched: Bool
        /// The device's own order and visibility of the app's promotions. Both may be empty.
        public var overrides: PromotionOverrides = PromotionOverrides()
    }

    /// The client's name for the device, 1…255 characters.
    public var deviceId: String
    /// As the last session or the operator said.
    public var platform: DeviceLaunch.Platform
    /// Integers with dots, such as `17.4`, at most 64 characters.
    public var osVersion: String
    /// In the order of their bundle identifiers.
    public var apps: [InstalledApp] = []
}

/// Creates or changes a device. Its apps stay. A session of the App Store app sends it, too.
public struct PutDeviceRequest: Hashable, Sendable, Codable {
    /// 1…255 characters. An unknown device is created.
    public var device: ScopedIdentifier
    /// As ``Device/platform``.
    public var platform: DeviceLaunch.Platform
    /// Integers with dots, at most 64 characters. A session may send any text.
    public var osVersion: String
}

/// Installs an app or another version of it, without a launch.
public struct PutInstallationRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// 1…255 characters. An unknown device is `notFound`.
    public var deviceId: String
    /// Integers with dots, at most 64 characters.
    public var version: String
    /// Nil keeps the present value.
    public var promotedPurchases: DeviceLaunch.PromotedPurchases?
}

/// A page of devices, in the order of their identifiers.
public struct DevicesPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var devices: [Device]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}
