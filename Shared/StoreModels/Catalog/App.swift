/// An app of the store with the operator's settings (`/admin/v1/apps/{bundleId}`):
///
/// ```json
/// {"bundleId":"com.example.app","name":"Example","appPrice":null,"currentVersion":"1.0","released":true,
///  "agreementsActive":true,"billingGracePeriod":false,"unfinishedLimit":null,"promotionsSupportedSince":null,
///  "subscriptionRenewalRate":null,"catalogVersion":3}
/// ```
public struct App: Hashable, Sendable, Codable {
    /// 1–155 ASCII letters, digits, dots and hyphens.
    public var bundleId: String
    /// Encoded into the same object as the app's other members.
    public var settings: AppSettings
    /// Grows by one with each catalogue that takes effect.
    public var catalogVersion: Int64
    /// The testers' settings for accounts without their own. They come from the catalogue file's `settings` and from
    /// the app's own.
    public var testerDefaults: TesterSettings?
    /// The number `_timeRate` of the catalogue file. Present when it makes subscriptions renew faster than in real
    /// time.
    public var timeRate: Int?
    /// The catalogue file's public keys for verifying promotional offers. Absent if the file has no keys.
    public var subscriptionOfferKeys: [SubscriptionOfferKey]?

    private enum CodingKeys: String, CodingKey {
        case bundleId, catalogVersion, testerDefaults, timeRate, subscriptionOfferKeys
    }

    /// Reads the settings' members from the app's own object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.bundleId = try container.decode(String.self, forKey: .bundleId)
        self.catalogVersion = try container.decode(Int64.self, forKey: .catalogVersion)
        self.testerDefaults = try container.decodeIfPresent(TesterSettings.self, forKey: .testerDefaults)
        self.timeRate = try container.decodeIfPresent(Int.self, forKey: .timeRate)
        self.subscriptionOfferKeys = try container.decodeIfPresent(
            [SubscriptionOfferKey].self, forKey: .subscriptionOfferKeys)
        self.settings = try AppSettings(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(IsolatedApp.shown(bundleId), forKey: .bundleId)
        try container.encode(catalogVersion, forKey: .catalogVersion)
        try container.encodeIfPresent(testerDefaults, forKey: .testerDefaults)
        try container.encodeIfPresent(timeRate, forKey: .timeRate)
        try container.encodeIfPresent(subscriptionOfferKeys, forKey: .subscriptionOfferKeys)
    }
}
