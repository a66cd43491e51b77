/// An operator's code for an offer: a word that many customers redeem, or a batch of codes that each count once.
///
/// ```json
/// {"codeIdentifier":"o_01k9p3s2rg…","kind":"custom","code":"SPRING26","productIdentifier":"com.example.pro.monthly",
///  "offer":"launch","redemptionsMax":500,"redemptions":3,"isActive":true,"expiresAt":"2027-03-01T00:00:00.000Z",
///  "createdAt":"2026-11-28T10:00:00.000Z"}
/// ```
public struct OfferCode: Hashable, Sendable, Codable {
    /// The ways in which a code counts.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// One word for many customers, with a limit.
        case custom
        /// A batch of codes. Each is redeemed once.
        case oneTime
    }

    public var codeIdentifier: String
    public var kind: Kind
    /// The word in upper case. Absent for one-time codes.
    public var code: String?
    public var productIdentifier: String
    /// The offer's reference name in the catalogue.
    public var offer: String
    /// The most redemptions: the limit of a word, or the number of a batch's codes.
    public var redemptionsMax: Int
    /// The redemptions so far, with those of purchases in progress.
    public var redemptions: Int
    /// Whether it is accepted.
    public var isActive: Bool
    /// The end, by the app's clock. Absent for a word without an end.
    public var expiresAt: Timestamp?
    /// By the app's clock.
    public var createdAt: Timestamp
    /// The codes of a batch, in the response that makes them only.
    public var oneTimeCodes: [String]?
}

/// A code, or a batch of codes, as the operator asks for it. A custom code:
///
/// ```json
/// {"productIdentifier":"com.example.pro.monthly","offer":"launch","code":"SPRING26","redemptionsMax":500}
/// ```
///
/// or a batch of one-time codes:
///
/// ```json
/// {"productIdentifier":"com.example.pro.monthly","offer":"launch","count":100,"expiresInDays":90}
/// ```
public struct NewOfferCode: Hashable, Sendable, Codable {
    /// Maximum length of a word, as at Apple.
    public static let wordMax = 64
    /// Maximum limit of a word: Apple's number of an app's codes in a quarter.
    public static let wordRedemptionsMax = 1_000_000
    /// Maximum number of codes in a batch, as at Apple. Their texts fit into one reply.
    public static let batchMax = 25_000
    /// Maximum age of one-time codes: half a year.
    public static let batchDaysMax = 183
    /// Maximum age of a word that has an end: ten years.
    public static let wordDaysMax = 3_650

    /// A subscription of the catalogue.
    public var productIdentifier: String
    /// The reference name of one of its offers for codes.
    public var offer: String
    /// The word, 1…64 ASCII letters and digits. Case does not count. Either this or `count`.
    public var code: String?
    /// The word's limit, 1…1000000. Only with `code`, which requires it.
    public var redemptionsMax: Int?
    /// The number of one-time codes, 1…25000.
    public var count: Int?
    /// Days of the app's clock until the end, 1…3650. One-time codes require it, and at most 183. A word without it has
    /// no end.
    public var expiresInDays: Int?
}

extension NewOfferCode {
    /// Checks the members that are about the code.
    /// - Throws: `requestInvalid` that names the member.
    package func check() throws(StoreError) {
        switch (code, count) {
        case (let word?, nil):
            guard Self.isWord(word) else {
                throw .invalid("$.code", "must have 1 to \(Self.wordMax) ASCII letters and digits")
            }
            guard let redemptionsMax else {
                throw .invalid("$.redemptionsMax", "is missing; a custom code has a limit")
            }
            try Self.check(redemptionsMax, "redemptionsMax", in: 1...Self.wordRedemptionsMax)
            if let expiresInDays { try Self.check(expiresInDays, "expiresInDays", in: 1...Self.wordDaysMax) }
        case (nil, let count?):
            try Self.check(count, "count", in: 1...Self.batchMax)
            guard redemptionsMax == nil else {
                throw .invalid("$.redemptionsMax", "does not go with count; each one-time code is redeemed once")
            }
            guard let expiresInDays else {
                throw .invalid("$.expiresInDays", "is missing; one-time codes have an end")
            }
            try Self.check(expiresInDays, "expiresInDays", in: 1...Self.batchDaysMax)
        case (nil, nil): throw .invalid("$.code", "is missing; name a word as code, or a count of one-time codes")
        case (_?, _?): throw .invalid("$.count", "does not go with code")
        }
    }

    private static func check(_ value: Int, _ member: String, in range: ClosedRange<Int>) throws(StoreError) {
        guard range.contains(value) else {
            throw .invalid("$.\(member)", "must be \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...wordMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
    }
}

/// Asks PaymentQueue to make a code, or a batch of them.
public struct NewOfferCodeRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Its offer was found in the catalogue.
    public var new: NewOfferCode
}

/// Asks PaymentQueue for an app's codes, oldest first.
public struct OfferCodesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
}

/// A page of an app's codes.
public struct OfferCodesPage: Hashable, Sendable, Codable {
    /// Oldest first, at most the request's `limit`.
    public var codes: [OfferCode]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Asks PaymentQueue to accept a code, or to refuse it from now on.
public struct ActivateOfferCodeRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var codeIdentifier: String
    public var isActive: Bool
}

/// Asks PaymentQueue for the offer of a code that a customer has typed in.
public struct FindOfferCodeRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Any text. Case does not count.
    public var offerCode: String
}

/// A code that a customer redeems, with what it never changes: its product and offer.
public struct RedeemedCode: Hashable, Sendable, Codable {
    /// The ``OfferCode/codeIdentifier``.
    public var codeIdentifier: String
    /// SHA-256 of the code's text, 64 hexadecimal digits.
    public var digest: String
    public var productIdentifier: String
    /// The offer's reference name in the catalogue.
    public var offer: String
}
