/// The operator's settings of an app. A member left out of a PUT takes its default.
///
/// ```json
/// {"name":"Example","currentVersion":"2.0","unfinishedLimit":100}
/// ```
public struct AppSettings: Hashable, Sendable, Codable {
    /// At most 64 Unicode scalars.
    public var name: String
    /// The price of the app itself, or null for a free app.
    @Nullable public var appPrice: Money?
    /// The app's version on sale.
    public var currentVersion: String = "1.0"
    /// The first version that handles promoted purchases. Null if every version does.
    @Nullable public var promotionsSupportedSince: String?
    /// Whether the app is released. Before its release the store page stays empty (M109).
    public var released: Bool = true
    /// Whether the agreements are in force. Without them no product is available (M5).
    public var agreementsActive: Bool = true
    /// Whether subscriptions have a billing grace period.
    public var billingGracePeriod: Bool = false
    /// How many unfinished transactions stop further purchases (M52). Null for no limit.
    @Nullable public var unfinishedLimit: Int?
    /// How fast subscriptions bought from now on renew, unless the account has another rate. Null uses the catalogue's
    /// `_timeRate`.
    @Nullable public var subscriptionRenewalRate: SubscriptionRenewalRate?
}

extension AppSettings {
    /// Maximum number of Unicode scalars of ``name``, enough for the 30 characters that App Store Connect allows.
    package static let nameScalarsMax = 64
    /// Maximum number of Unicode scalars of ``currentVersion`` and ``promotionsSupportedSince``.
    package static let versionScalarsMax = 32

    enum CodingKeys: String, CodingKey {
        case name, appPrice, currentVersion, promotionsSupportedSince, released, agreementsActive, billingGracePeriod
        case unfinishedLimit, subscriptionRenewalRate
    }

    /// Reads a missing or null member as its default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(name: try container.decodeIfPresent(String.self, forKey: .name) ?? "")
        appPrice = try container.decodeIfPresent(Money.self, forKey: .appPrice)
        currentVersion = try container.decodeIfPresent(String.self, forKey: .currentVersion) ?? currentVersion
        promotionsSupportedSince = try container.decodeIfPresent(String.self, forKey: .promotionsSupportedSince)
        released = try container.decodeIfPresent(Bool.self, forKey: .released) ?? released
        agreementsActive = try container.decodeIfPresent(Bool.self, forKey: .agreementsActive) ?? agreementsActive
        billingGracePeriod = try container.decodeIfPresent(Bool.self, forKey: .billingGracePeriod) ?? billingGracePeriod
        unfinishedLimit = try container.decodeIfPresent(Int.self, forKey: .unfinishedLimit)
        subscriptionRenewalRate = try container.decodeIfPresent(
            SubscriptionRenewalRate.self, forKey: .subscriptionRenewalRate)
    }
}
