import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: a year in monthly payments passes with one charge a month and each number once, also when a process dies
/// meanwhile (S1, S2), and the app reads it in what the store signs.
/// Method: the real store over HTTP, on SQLite with one process of each service, on PostgreSQL with two payment queues.
/// The clock is advanced by a year under one key, and a payment queue is killed while the year is worked off.
@Suite(.process) struct ScenarioCommitmentTests {
    private static let app = "/admin/v1/apps/com.example.app"
    private static let product = "com.example.year"

    private static let catalogue: JSONValue = .object([
        "version": .object(["major": 5, "minor": 0]), "products": .array([]),
        "subscriptionGroups": .array([
            .object([
                "id": "G", "name": "Pro",
                "subscriptions": .array([
                    .object([
                        "type": "RecurringSubscription", "productID": .string(product), "referenceName": "Year",
                        "displayPrice": "49.99", "recurringSubscriptionPeriod": "P1Y", "groupNumber": 1,
                        "billingPlans": .array([
                            .object([
                                "billingPlanType": "MONTHLY", "displayPrice": "4.99", "commitmentDisplayPrice": "59.88",
                            ])
                        ]),
                    ])
                ]),
            ])
        ]),
    ])

    @Test(arguments: Engine.allCases)
    func `S1, S2: kill -9 while a commitment is paid: each number once, each charged once`(_ engine: Engine)
        async throws
    {
        let environment = try await engine.environment()
        try await StoreStack.run(
            engine == .postgres ? ["--replicas", "payment-queue=2"] : [], environment: environment
        ) { store in
            try await store.must(.PUT, "\(Self.app)/catalog", Self.catalogue)
            let alice = try await store.session(account: "alice", storefront: "FRA")
            let terms = try #require(try await alice.products([Self.product]).products.first?.monthlyTerms)
            #expect(terms.price.amount == "4.99" && terms.commitmentPrice.amount == "59.88")
            let bought = try await Self.buy(alice, in: store)
            #expect(bought["commitmentInfo"]?["billingPeriodNumber"] == 1 && bought["billingPlanType"] == "MONTHLY")
            let advanced = Task { try await Self.advance(store) }
            let killed = try store.signal("payment-queue")
            try await store.waitForReplacement(of: "payment-queue", after: killed)
            try await advanced.value
            let history = try await Self.signed(alice, in: store)
            #expect(
                history.compactMap { $0["commitmentInfo"]?["billingPeriodNumber"]?.intValue }.reversed()
                    == Array(1...12) + [1])
            let charges = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
            #expect(charges.count == 13 && Set(charges.compactMap { $0.amount?.minorUnits }) == [499])
        }
    }

    /// Buys in monthly payments.
    /// - Returns: The claims of the signed transaction.
    private static func buy(_ customer: ScenarioCustomer, in store: StoreStack) async throws -> JSONValue {
        var claims: JSONValue?
        let body: JSONValue = .object(["productIdentifier": .string(product), "billingPlanType": "MONTHLY"])
        try await eventually("the year is bought", within: .seconds(30)) {
            let answer = try await store.must(.POST, "/v1/purchases", token: customer.token, key: "year", body)
            guard let signed = try answer.decoded(as: JSONValue.self)["signedTransaction"]?.stringValue else {
                return false
            }
            claims = try payload(of: signed)
            return true
        }
        return try #require(claims)
    }

    /// Reads the claims of the customer's purchases, newest first.
    private static func signed(_ customer: ScenarioCustomer, in store: StoreStack) async throws -> [JSONValue] {
        let answer = try await store.must(.GET, "/v1/signed/transactions", token: customer.token)
        let list = try answer.decoded(as: JSONValue.self)["signedTransactions"]?.arrayValue ?? []
        return try list.compactMap(\.stringValue).map(payload)
    }

    private static func payload(of signed: String) throws -> JSONValue {
        let parts = signed.split(separator: ".")
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return try StrictJSON.parse(Array(try #require(Data(base64Encoded: text))))
    }

    /// The same key until the answer says that all has happened.
    private static func advance(_ store: StoreStack) async throws {
        try await eventually("the year has passed", within: .seconds(60)) {
            let answer = try? await store.request(
                .POST, "\(app)/clock/advance", token: store.adminKey, headers: ["idempotency-key": "a-year"],
                body: Array(#"{"by": "P1Y"}"#.utf8))
            return answer?.status == 200
        }
    }
}
