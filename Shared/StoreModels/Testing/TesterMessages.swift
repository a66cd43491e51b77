/// A tester of the store: `{"account":"alice","settings":{…},"effective":{…}}`.
public struct Tester: Hashable, Sendable, Codable {
    /// The shopper's name. Its settings apply in every app of its scope.
    public var account: String
    /// Only the settings that the operator has set.
    public var settings: TesterSettings
    /// `settings` over StoreKit's own defaults. An app's defaults lie between the two.
    public var effective: TesterSettings

    /// Creates a tester and works out ``effective`` without an app's defaults.
    public init(account: String, settings: TesterSettings) {
        self.account = account
        self.settings = settings
        self.effective = settings.over(.standard)
    }
}

/// Replaces all of a tester's settings. A storefront given here becomes that of the account's customers in every app
/// of its scope.
public struct PutTesterRequest: Hashable, Sendable, Codable {
    /// A name of 1…128 characters. An account need not exist.
    public var account: ScopedIdentifier
    /// The complete new settings. A setting that is nil is no longer set.
    public var settings: TesterSettings
}

/// A page of accounts that have settings or have bought, by name.
public struct TestersPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var testers: [Tester]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Deletes the purchases of an app's customer, or of all customers without `account`.
public struct ClearHistoryRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The account to clear. Nil clears all accounts of the app.
    public var account: String?
    /// Continued promoted purchases whose payments may still be on their way, as ``ClearIntentsReply`` names them. They
    /// buy nothing from here on. Nil for none.
    public var intents: [String]?
}

/// The number of deleted transactions: `{"removed":12}`.
public struct ClearHistoryReply: Hashable, Sendable, Codable {
    /// Deleted transactions, finished ones included.
    public var removed: Int
}

/// Deletes an app's purchases and resets its clock to the wall clock: `{"bundleId":"com.example.app"}`. Catalogue, app
/// settings and testers stay.
public struct ResetRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``ClearHistoryRequest/intents``.
    public var intents: [String]?
}

/// The number of deleted transactions.
public struct ResetReply: Hashable, Sendable, Codable {
    /// Deleted transactions, finished ones included.
    public var removedTransactions: Int
}
