import StoreModels

/// A tester as the operator sees it. It has the effective settings, and under `overrides` those that were set.
///
/// ```json
/// {"account":"alice","storefront":"FRA","canMakePayments":true,"askToBuy":false,"interruptPurchases":false,
///  "signIn":"ok","sheet":"auto","subscriptionRenewalRate":"realTime","simulatedErrors":{},
///  "overrides":{"storefront":"FRA"}}
/// ```
struct TesterAnswer: Encodable {
    private enum CodingKeys: String, CodingKey { case account, overrides }

    let tester: Tester

    init(_ tester: Tester) { self.tester = tester }

    func encode(to encoder: any Encoder) throws {
        try tester.effective.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tester.account, forKey: .account)
        try container.encode(tester.settings, forKey: .overrides)
    }
}

/// `{"testers":[…],"after":"bob"}`
struct TesterList: Encodable {
    var testers: [TesterAnswer]
    var after: String?
}
