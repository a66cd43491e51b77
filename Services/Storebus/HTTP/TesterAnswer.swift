import StoreModels

/// A tester as the gateway answers it: what counts, flattened, and what was set beside it.
///
/// ```json
/// {"account":"alice","storefront":"FRA","canMakePayments":true,"sheet":"auto","overrides":{"storefront":"FRA"}}
/// ```
struct TesterAnswer: Sendable, Decodable {
    var account: String
    /// What counts: set by the operator, else the app's default, else StoreKit's.
    var effective: TesterSettings
    /// What the operator has set.
    var overrides: TesterSettings
    /// The whole answer, for `-o json`.
    var json: JSONValue

    private enum CodingKeys: String, CodingKey { case account, overrides }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(String.self, forKey: .account)
        overrides = try container.decodeIfPresent(TesterSettings.self, forKey: .overrides) ?? TesterSettings()
        effective = try TesterSettings(from: decoder)
        json = try JSONValue(from: decoder)
    }
}

/// `{"testers":[…],"after":"…"}`
struct TestersAnswer: Sendable, Decodable {
    var testers: [TesterAnswer]
    var after: String?
}
