/// A tester of the store: `{"account":"alice","settings":{…},"effective":{…}}`.
public struct Tester: Hashable, Sendable, Codable {
    public var account: String
    /// What the operator has set, and nothing else.
    public var settings: TesterSettings
    /// `settings` over StoreKit's own defaults; an app's defaults lie between the two.
    public var effective: TesterSettings

    public init(account: String, settings: TesterSettings) {
        self.account = account
        self.settings = settings
        self.effective = settings.over(.standard)
    }
}

/// `{"account":"alice"}`
public struct TesterRequest: Hashable, Sendable, Codable {
    public var account: String
    public init(account: String) { self.account = account }
}

/// Replaces all of a tester's settings. A storefront given here becomes that of the account's customers in every app.
public struct PutTesterRequest: Hashable, Sendable, Codable {
    public var account: String
    public var settings: TesterSettings
    public init(account: String, settings: TesterSettings) {
        self.account = account
        self.settings = settings
    }
}

/// Accounts that have settings or have bought, in the order of their names.
public struct TestersPage: Hashable, Sendable, Codable {
    public var testers: [Tester]
    public var after: String?
    public init(testers: [Tester], after: String? = nil) {
        self.testers = testers
        self.after = after
    }
}

/// Clears what the customers of an app have bought; without `account`, of all customers.
public struct ClearHistoryRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var account: String?
    /// Promoted purchases that were continued and whose payments may be on their way still: none of them buys from here
    /// on. What ``ClearIntentsReply`` names; nil for none.
    public var intents: [String]?
    public init(bundleId: String, account: String? = nil, intents: [String]? = nil) {
        self.bundleId = bundleId
        self.account = account
        self.intents = intents
    }
}

/// `{"removed":12}`: transactions that are gone.
public struct ClearHistoryReply: Hashable, Sendable, Codable {
    public var removed: Int
    public init(removed: Int) { self.removed = removed }
}

/// `{"bundleId":"com.example.app"}`: what the app's customers have done is gone, its clock is the wall's again;
/// catalogue, app settings and testers stay.
public struct ResetRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``ClearHistoryRequest/intents``.
    public var intents: [String]?
    public init(bundleId: String, intents: [String]? = nil) {
        self.bundleId = bundleId
        self.intents = intents
    }
}

public struct ResetReply: Hashable, Sendable, Codable {
    public var removedTransactions: Int
    public init(removedTransactions: Int) { self.removedTransactions = removedTransactions }
}
