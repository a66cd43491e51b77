import Persistence
import ServiceDatabase
import StoreModels

/// An app on a device.
struct StoredInstallation: Hashable, Sendable {
    var reference: InstallationReference
    /// The installed version, which may not be launched yet.
    var version: String
    /// Declared by the last launch, or set by the operator. Nil when unknown.
    var promotedPurchases: DeviceLaunch.PromotedPurchases?
    /// The version of the last launch, which an upgrade does not change. Nil before the first launch.
    var launchedVersion: String?
    var overrides: PromotionOverrides

    init(
        _ reference: InstallationReference, version: String, promotedPurchases: DeviceLaunch.PromotedPurchases? = nil,
        launchedVersion: String? = nil, overrides: PromotionOverrides = PromotionOverrides()
    ) {
        self.reference = reference
        self.version = version
        self.promotedPurchases = promotedPurchases
        self.launchedVersion = launchedVersion
        self.overrides = overrides
    }

    init(_ row: SQLRow) throws {
        self.init(
            InstallationReference(bundleId: try row["bundle_id"], deviceId: try row["device_id"]),
            version: try row["version"], promotedPurchases: try row["promoted_purchases"],
            launchedVersion: try row["launched_version"],
            overrides: try (row["overrides"] as String?).map {
                try StoredJSON.value(PromotionOverrides.self, $0)
            } ?? PromotionOverrides())
    }

    var isLaunched: Bool { launchedVersion != nil }

    /// Makes the installation as the operator sees it.
    var app: Device.InstalledApp {
        Device.InstalledApp(
            bundleId: reference.bundleId, version: version, promotedPurchases: promotedPurchases,
            isLaunched: isLaunched, overrides: overrides)
    }
}

extension InstallationReference {
    /// The device, which the apps of one scope share.
    var device: ScopedIdentifier { ScopedIdentifier(deviceId, in: IsolationScope(of: bundleId)) }
}

extension DeviceLaunch.PromotedPurchases: SQLValueConvertible {}

/// A device's row.
struct StoredDevice: Hashable, Sendable {
    var deviceId: String
    var platform: DeviceLaunch.Platform
    var osVersion: String

    init(_ row: SQLRow) throws(PersistenceError) {
        deviceId = try row["device_id"]
        platform = try row["platform"]
        osVersion = try row["os_version"]
    }

    /// Why the device shows no promotions. Nil for a device that does.
    var unsupported: String? { PromotionSupport.promotionsUnsupported(platform: platform, osVersion: osVersion) }
}

extension DeviceLaunch.Platform: SQLValueConvertible {}
