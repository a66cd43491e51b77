internal import StoreModels

extension StoreConnection {
    /// Whether the device has ``PurchaseIntent``: iOS and iPadOS 16.4, macOS 14.4, visionOS 1.0. Replaces
    /// `if #available(iOS 16.4, *)` where an app handles promoted purchases either way (M59, M61):
    ///
    /// ```swift
    /// if connection.isPurchaseIntentAvailable {
    ///     watch(PurchaseIntent.intents)
    /// } else {
    ///     queue.add(DelegateObserver.shared)
    /// }
    /// ```
    public var isPurchaseIntentAvailable: Bool { purchaseIntentUnsupported == nil }

    /// The reason why not, in a sentence.
    var purchaseIntentUnsupported: String? {
        PromotionSupport.purchaseIntentUnsupported(
            platform: DeviceLaunch.Platform(rawValue: platform.rawValue) ?? .other, osVersion: osVersion)
    }
}
