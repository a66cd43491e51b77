import Persistence
import StoreModels

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

    /// Why it shows no promotions; nil where it does.
    var unsupported: String? { PromotionSupport.promotionsUnsupported(platform: platform, osVersion: osVersion) }
}

extension DeviceLaunch.Platform: SQLValueConvertible {}
