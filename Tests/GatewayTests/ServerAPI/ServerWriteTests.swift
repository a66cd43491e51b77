import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: each member that an app's server sends is checked with Apple's error of its own, and passed on unchanged.
@Suite struct ServerWriteTests {
    private static let original = "2000000000000001"
    private static let token = "7A0C6B0E-1111-4222-8333-444455556666"

    private func withSamples(_ body: @Sendable (GatewayHarness, String) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            try await body(store, try await store.serverToken().text())
        }
    }

    private func refuses(
        _ store: GatewayHarness, _ token: String, _ method: HTTPMethod, _ path: String, _ body: String, _ code: Int
    ) async throws {
        let answer = try await store.send(method, "/inApps/\(path)", token: token, body: body)
        #expect(answer.status == code / 10_000, "\(path) \(body)")
        #expect(answer.json["errorCode"] == .integer(code), "\(path) \(body)")
        #expect(answer.headers.first(name: "Content-Type") == "application/json")
    }

    /// A body with one member changed; nil leaves it out.
    private func changed(_ members: [(String, String)], _ name: String, _ value: String?) -> String {
        let rest = members.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
        return "{" + rest.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    // MARK: Extensions

    private static let extend = [
        ("extendByDays", "10"), ("extendReasonCode", "3"), ("requestIdentifier", "\"outage\""),
    ]

    @Test func `an extension has Apple's members, and its refusals Apple's numbers`() async throws {
        try await withSamples { store, token in
            let path = "v1/subscriptions/extend/\(Self.original)"
            // Members that are not known are passed over.
            let body = changed(Self.extend, "unknown", "true")
            let answer = try await store.send(.PUT, "/inApps/\(path)", token: token, body: body)
            #expect(answer.status == 200)
            #expect(
                answer.json
                    == .object([
                        "originalTransactionId": .string(Self.original), "webOrderLineItemId": "1000000000000003",
                        "success": true, "effectiveDate": .integer(FakePaymentQueue.firstSeen.milliseconds),
                    ]))
            let asked = store.payments.contents.withLock { $0.serverReading.extended }
            #expect(
                asked == [
                    ExtendSubscriptionRequest(
                        bundleId: Sample.bundleId, originalTransactionIdentifier: Self.original, days: 10,
                        requestIdentifier: "outage")
                ])
            for (name, values, code) in [
                ("extendByDays", [nil, "0", "91", "\"10\"", "1.5"], 4_000_009),
                ("extendReasonCode", [nil, "-1", "4", "\"3\""], 4_000_010),
                ("requestIdentifier", [nil, "\"\"", "1", "\"\(String(repeating: "x", count: 129))\""], 4_000_011),
            ] as [(String, [String?], Int)] {
                for value in values {
                    try await refuses(store, token, .PUT, path, changed(Self.extend, name, value), code)
                }
            }
            let good = changed(Self.extend, "", nil)
            try await refuses(store, token, .PUT, path, "[", 4_000_000)
            try await refuses(store, token, .PUT, "v1/subscriptions/extend/x", good, 4_000_008)
            try await refuses(store, token, .PUT, "v1/subscriptions/extend/2999999999999999", good, 4_040_005)
            for (outcome, code) in [
                (ExtendSubscriptionReply.Outcome.ineligible, 4_030_004), (.exhausted, 4_030_005),
                (.familyShared, 4_030_007),
            ] {
                store.payments.contents.withLock { $0.serverReading.outcome = outcome }
                try await refuses(store, token, .PUT, path, good, code)
            }
        }
    }

    @Test func `an extension of all subscriptions, and how far it is`() async throws {
        try await withSamples { store, token in
            let all = Self.extend + [("productId", "\"com.example.pro\""), ("storefrontCountryCodes", "[\"USA\"]")]
            let path = "v1/subscriptions/extend/mass"
            let answer = try await store.send(.POST, "/inApps/\(path)", token: token, body: changed(all, "", nil))
            #expect(answer.json == .object(["requestIdentifier": "outage"]))
            #expect(store.payments.contents.withLock { $0.serverReading.extendedAll.map(\.storefronts) } == [["USA"]])
            for (name, value, code) in [
                ("extendByDays", "91", 4_000_009), ("extendReasonCode", nil, 4_000_010),
                ("requestIdentifier", "\"\"", 4_000_011), ("productId", nil, 4_000_023), ("productId", "1", 4_000_023),
                // A product that the app does not sell, and one that does not renew.
                ("productId", "\"none\"", 4_000_023),
                ("productId", "\"\(Sample.fishing.productIdentifier)\"", 4_000_023),
                ("storefrontCountryCodes", "[]", 4_000_027), ("storefrontCountryCodes", "[\"XXX\"]", 4_000_028),
                ("storefrontCountryCodes", "[1]", 4_000_028), ("storefrontCountryCodes", "\"USA\"", 4_000_028),
            ] as [(String, String?, Int)] {
                try await refuses(store, token, .POST, path, changed(all, name, value), code)
            }
            store.payments.contents.withLock {
                $0.serverReading.failure = StoreError(.requestInvalid, "used for another extension")
            }
            try await refuses(store, token, .POST, path, changed(all, "", nil), 4_000_011)
            store.payments.contents.withLock { $0.serverReading.failure = nil }
            let done = try await store.send(.GET, "/inApps/\(path)/pro/done", token: token)
            #expect(
                done.json
                    == .object([
                        "requestIdentifier": "done", "complete": true, "succeededCount": 3, "failedCount": 1,
                        "completeDate": .integer(FakePaymentQueue.firstSeen.milliseconds),
                    ]))
            let begun = try await store.send(.GET, "/inApps/\(path)/pro/begun", token: token)
            #expect(begun.json == .object(["requestIdentifier": "begun", "complete": false]))
            let other = try await store.send(.GET, "/inApps/\(path)/pro/other", token: token)
            #expect(other.json["errorCode"] == 4_040_009)
            let long = try await store.send(
                .GET, "/inApps/\(path)/pro/\(String(repeating: "x", count: 129))", token: token)
            #expect(long.json["errorCode"] == 4_000_011)
        }
    }

    // MARK: Consumption

    @Test func `a consumption is kept as it was sent, and each member has its error`() async throws {
        try await withSamples { store, token in
            let members = [
                ("customerConsented", "true"), ("deliveryStatus", "\"DELIVERED\""), ("sampleContentProvided", "false"),
                ("consumptionPercentage", "100000"), ("refundPreference", "\"DECLINE\""),
            ]
            let path = "v2/transactions/consumption/\(Self.original)"
            let answer = try await store.send(.PUT, "/inApps/\(path)", token: token, body: changed(members, "", nil))
            #expect(answer.status == 202)
            #expect(answer.body.isEmpty)
            let kept = store.payments.contents.withLock { $0.serverReading.consumptions.last?.consumption }
            #expect(kept?["consumptionPercentage"] == 100_000)
            #expect(kept?["refundPreference"] == "DECLINE")
            for (name, values, code) in [
                ("customerConsented", [nil, "false", "1"], 4_000_035),
                ("deliveryStatus", [nil, "\"X\"", "0"], 4_000_036),
                ("sampleContentProvided", [nil, "0"], 4_000_041),
                ("consumptionPercentage", ["-1", "100001", "\"1\""], 4_000_034),
                ("refundPreference", ["\"X\"", "1"], 4_000_044),
            ] as [(String, [String?], Int)] {
                for value in values {
                    try await refuses(store, token, .PUT, path, changed(members, name, value), code)
                }
            }
            let unknown = "v2/transactions/consumption/2999999999999999"
            try await refuses(store, token, .PUT, unknown, changed(members, "", nil), 4_040_010)
            let app = "v2/transactions/consumption/\(FakePaymentQueue.appTransaction)"
            try await refuses(store, token, .PUT, app, changed(members, "", nil), 4_000_048)
        }
    }

    @Test func `version 1 of consumption has numbers, each with its range`() async throws {
        try await withSamples { store, token in
            let members =
                [("customerConsented", "true"), ("sampleContentProvided", "true"), ("appAccountToken", "\"\"")]
                + [
                    "consumptionStatus", "platform", "deliveryStatus", "accountTenure", "playTime",
                    "lifetimeDollarsRefunded", "lifetimeDollarsPurchased", "userStatus",
                ].map { ($0, "0") }
            let path = "v1/transactions/consumption/\(Self.original)"
            for (name, max, code) in [
                ("consumptionStatus", 3, 4_000_034), ("platform", 2, 4_000_039), ("deliveryStatus", 5, 4_000_036),
                ("accountTenure", 7, 4_000_032), ("playTime", 7, 4_000_040),
                ("lifetimeDollarsRefunded", 7, 4_000_038), ("lifetimeDollarsPurchased", 7, 4_000_037),
                ("userStatus", 4, 4_000_042), ("refundPreference", 3, 4_000_044),
            ] {
                let body = changed(members, name, "\(max)")
                #expect(try await store.send(.PUT, "/inApps/\(path)", token: token, body: body).status == 202)
                for value in ["-1", "\(max + 1)", "\"1\""] + (name == "refundPreference" ? [] : [nil]) {
                    try await refuses(store, token, .PUT, path, changed(members, name, value), code)
                }
            }
            for (value, status) in [
                ("\"\"", 202), ("\"\(Self.token)\"", 202), ("\"x\"", 400), ("1", 400), (nil, 400),
            ] as [(String?, Int)] {
                let body = changed(members, "appAccountToken", value)
                #expect(try await store.send(.PUT, "/inApps/\(path)", token: token, body: body).status == status)
            }
            try await refuses(store, token, .PUT, path, changed(members, "customerConsented", "false"), 4_000_035)
        }
    }

    // MARK: Tokens

    @Test func `a token is a UUID, passed on in lower case`() async throws {
        try await withSamples { store, token in
            let path = "v1/transactions/\(Self.original)/appAccountToken"
            let answer = try await store.send(
                .PUT, "/inApps/\(path)", token: token, body: #"{"appAccountToken":"\#(Self.token)"}"#)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(
                store.payments.contents.withLock { $0.serverReading.tokens.map(\.appAccountToken) }
                    == [Self.token.lowercased()])
            for value in ["null", "1", "\"\"", "\"x\"", "\"7a0c6b0e-1111-4222-8333-44445555666g\""] {
                try await refuses(store, token, .PUT, path, #"{"appAccountToken":\#(value)}"#, 4_000_183)
            }
            for (code, number) in [
                (StoreErrorCode.notFound, 4_040_010), (.requestInvalid, 4_000_187),
                (.transactionStateInvalid, 4_000_185),
            ] {
                store.payments.contents.withLock { $0.serverReading.failure = StoreError(code, "no") }
                try await refuses(store, token, .PUT, path, #"{"appAccountToken":"\#(Self.token)"}"#, number)
            }
        }
    }
}
