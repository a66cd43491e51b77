/// A family of an app's customers, who share their purchases with each other.
///
/// ```json
/// {"family":"smith","persons":[{"account":"alice","isOrganiser":true,"sharesPurchases":true,"receivesPurchases":true,
///  "joinedAt":"2026-11-29T10:00:00.000Z"}]}
/// ```
public struct Family: Hashable, Sendable, Codable {
    /// Maximum number of a family's persons, as at Apple: the organiser and five more.
    public static let personsMax = 6
    /// Maximum length of a family's name, in Unicode scalars.
    public static let nameMax = 64

    /// The operator's name of the family.
    public var family: String
    /// The organiser first, then the others by their accounts. 1…6.
    public var persons: [FamilyPerson]
}

/// A person of a family.
///
/// ```json
/// {"account":"bob","isOrganiser":false,"sharesPurchases":true,"receivesPurchases":true,
///  "joinedAt":"2026-11-29T10:00:00.000Z"}
/// ```
public struct FamilyPerson: Hashable, Sendable, Codable {
    /// The shopper's name.
    public var account: String
    /// Whether the family is theirs.
    public var isOrganiser: Bool
    /// Whether their purchases are shared with the others.
    public var sharesPurchases: Bool
    /// Whether the others' purchases are shared with them.
    public var receivesPurchases: Bool
    /// By the app's clock.
    public var joinedAt: Timestamp
}

/// What a member of a family shares, as the operator sets it. A member that is left out keeps its value.
///
/// ```json
/// {"sharesPurchases":false}
/// ```
public struct FamilySharing: Hashable, Sendable, Codable {
    /// As ``FamilyPerson/sharesPurchases``. True for a new person.
    public var sharesPurchases: Bool?
    /// As ``FamilyPerson/receivesPurchases``. True for a new person.
    public var receivesPurchases: Bool?
}

/// Asks PaymentQueue to make a family of one person.
public struct PutFamilyRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var family: String
    /// The organiser's account.
    public var organiser: String
}

/// Asks PaymentQueue for an app's families, by name.
public struct FamiliesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
}

/// A page of an app's families.
public struct FamiliesPage: Hashable, Sendable, Codable {
    /// By name, at most the request's `limit`.
    public var families: [Family]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Asks PaymentQueue to end a family.
public struct EndFamilyRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var family: String
}

/// Asks PaymentQueue to add a person to a family, or to change what they share.
public struct PutFamilyMemberRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var family: String
    public var account: String
    public var sharing: FamilySharing
}

/// Asks PaymentQueue to take a person out of a family.
public struct RemoveFamilyMemberRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var family: String
    public var account: String
}
