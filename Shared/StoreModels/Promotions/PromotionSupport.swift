/// The platforms and systems that support promoted purchases and `PurchaseIntent` (M58–M60, M71). The type is pure. The
/// versions are those of Apple's documentation.
public enum PromotionSupport {
    /// Explains why a device neither shows nor starts promoted purchases nor takes overrides.
    /// - Returns: A sentence for people, or nil where promotions are supported. A version that cannot be read counts as
    ///   new enough (ours): versions are checked where the operator names them.
    public static func promotionsUnsupported(platform: DeviceLaunch.Platform, osVersion: String) -> String? {
        let minimum: DottedVersion
        switch platform {
        case .iOS, .iPadOS, .tvOS, .macOS: minimum = DottedVersion(11)
        case .watchOS: minimum = DottedVersion(6, 2)
        case .visionOS, .other: return nil
        case .iOSAppOnVisionOS:
            return "Promoted in-app purchases are not available to compatible iPad and iPhone apps on visionOS."
        }
        guard let version = DottedVersion(osVersion), version < minimum else { return nil }
        return "Promoted in-app purchases need \(platform.rawValue) \(minimum) or later; "
            + "this device has \(platform.rawValue) \(osVersion)."
    }

    /// Explains why an app on this device cannot handle promoted purchases with `PurchaseIntent` (M59).
    /// - Returns: A sentence for people, or nil where it can. A version that cannot be read is a reason.
    public static func purchaseIntentUnsupported(platform: DeviceLaunch.Platform, osVersion: String) -> String? {
        let minimum: DottedVersion
        switch platform {
        case .iOS, .iPadOS: minimum = DottedVersion(16, 4)
        case .macOS: minimum = DottedVersion(14, 4)
        case .visionOS: minimum = DottedVersion(1)
        case .other: return nil
        case .tvOS, .watchOS:
            return "PurchaseIntent is not available on \(platform.rawValue); "
                + "handle promoted purchases with the delegate method."
        case .iOSAppOnVisionOS:
            return "PurchaseIntent is not available to compatible iPad and iPhone apps on visionOS."
        }
        guard let version = DottedVersion(osVersion) else {
            return
                "PurchaseIntent needs \(platform.rawValue) \(minimum) or later, and '\(osVersion)' is not a version; "
                + "a version is integers with dots, such as 17.4."
        }
        guard version < minimum else { return nil }
        return "PurchaseIntent needs \(platform.rawValue) \(minimum) or later; this device has "
            + "\(platform.rawValue) \(osVersion). Handle promoted purchases with the delegate method."
    }

    /// Whether an installed version of an app is too old for promoted purchases (M75).
    /// - Parameter since: The first version that handles them, or nil if every version does.
    /// - Returns: False also when either cannot be parsed: a malformed version asks no user to upgrade (ours).
    public static func isTooOld(appVersion: String, since: String?) -> Bool {
        guard let since = since.flatMap({ DottedVersion($0) }), let version = DottedVersion(appVersion) else {
            return false
        }
        return version < since
    }
}
