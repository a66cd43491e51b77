import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: an app's server reads signed transactions as Apple's server sends them, with Apple's errors.
@Suite struct GatewayServerAPITests {
    private static let trial = "2000000000000001"
    private static let renewal = "2000000000000003"

    /// A store in which Alice has bought the samples, and a token of the app's server.
    private func withSamples(_ body: @Sendable (GatewayHarness, String) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            try await body(store, try await store.serverToken().text())
        }
    }

    private func get(_ store: GatewayHarness, _ path: String, _ token: String) async throws -> Answer {
        let answer = try await store.send(.GET, "/inApps/\(path)", token: token)
        #expect(answer.headers.first(name: "Content-Type") == "application/json", "\(path)")
        return answer
    }

    private func payloads(_ answer: Answer, _ store: GatewayHarness) async throws -> [JSONValue] {
        let authority = try await store.apple.appStore()
        return try (answer.json["signedTransactions"]?.arrayValue ?? []).map { signed in
            let payload = try ParsedJWS(signed.stringValue)
            #expect(try payload.isSigned(by: authority))
            return payload.payload
        }
    }

    private func refuses(_ answer: Answer, _ code: Int, _ comment: String = "") {
        #expect(answer.status == code / 10_000, "\(comment)")
        #expect(answer.json["errorCode"] == .integer(code), "\(comment)")
        #expect(answer.json["errorMessage"]?.stringValue?.isEmpty == false, "\(comment)")
    }

    // MARK: Transactions

    @Test func `transaction info is signed by the App Store's authority, in Apple's words`() async throws {
        try await withSamples { store, token in
            let answer = try await get(store, "v1/transactions/\(Self.renewal)", token)
            #expect(answer.status == 200)
            let signed = try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue)
            #expect(try signed.isSigned(by: try await store.apple.appStore()))
            let item = store.payments.contents.withLock { $0.receiptItems[2] }
            #expect(
                signed.payload
                    == .object([
                        "transactionId": "2000000000000003", "originalTransactionId": "2000000000000001",
                        "webOrderLineItemId": "1000000000000003", "bundleId": "com.example.app",
                        "productId": "com.example.pro", "subscriptionGroupIdentifier": "g1",
                        "purchaseDate": .integer(item.purchaseDate.milliseconds),
                        "originalPurchaseDate": .integer(item.originalPurchaseDate.milliseconds),
                        "expiresDate": .integer(item.expiresDate?.milliseconds ?? 0), "quantity": .integer(1),
                        "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED",
                        "signedDate": .integer(1_800_000_000_000), "revocationReason": .integer(1),
                        "revocationDate": .integer(item.cancellationDate?.milliseconds ?? 0),
                        "isUpgraded": .bool(true), "offerType": .integer(2), "offerIdentifier": "spring",
                        "offerDiscountType": "PAY_UP_FRONT", "environment": "Sandbox", "storefront": "USA",
                        "storefrontId": "143441", "transactionReason": "RENEWAL", "price": .integer(9990),
                        "currency": "USD", "appTransactionId": "7000000000000000001",
                    ]))
        }
    }

    @Test func `an identifier that is none, or not the app's, has Apple's error`() async throws {
        try await withSamples { store, token in
            for text in ["x", "-1", "1.0", "12345678901234567890", "%20", "+1", "%31%00"] {
                for path in [
                    "v1/transactions/", "v2/history/", "v1/history/", "v1/subscriptions/", "v2/refund/lookup/",
                    "v1/transactions/appTransactions/",
                ] { refuses(try await get(store, path + text, token), 4_000_006, path + text) }
            }
            for path in ["v1/transactions/", "v2/history/", "v1/subscriptions/", "v2/refund/lookup/"] {
                refuses(try await get(store, path + "404", token), 4_040_010, path)
            }
            refuses(
                try await get(store, "v1/transactions/\(FakePaymentQueue.appTransaction)", token), 4_000_048)
            let other = try await store.serverToken("com.example.app").text()
            #expect(try await get(store, "v1/transactions/\(Self.trial)", other).status == 200)
        }
    }

    @Test func `the app of the key decides, so that another app's transaction is not found`() async throws {
        try await withSamples { store, _ in
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            let token = try await store.serverToken("com.example.two").text()
            refuses(try await get(store, "v1/transactions/\(Self.trial)", token), 4_040_010)
            refuses(try await get(store, "v2/history/\(FakePaymentQueue.appTransaction)", token), 4_040_010)
        }
    }

    @Test func `an order on an invoice has its transaction, any other text none`() async throws {
        try await withSamples { store, token in
            let order = try #require(OrderIdentifier.order(of: Self.renewal))
            let found = try await get(store, "v1/lookup/\(order)", token)
            #expect(found.json["status"] == .integer(0))
            #expect(try await payloads(found, store).first?["transactionId"]?.stringValue == Self.renewal)
            let foreign = try #require(OrderIdentifier.order(of: "2000000000000009"))
            for text in [foreign, "M", "x", "m\(order.dropFirst())", Self.renewal, "MZZZZZZZZZZZZZZZZZZ"] {
                let answer = try await get(store, "v1/lookup/\(text)", token)
                #expect(answer.status == 200)
                #expect(answer.json == .object(["status": .integer(1)]))
            }
        }
    }

    @Test func `app transaction info is the customer's download of the app`() async throws {
        try await withSamples { store, token in
            for identifier in [Self.trial, FakePaymentQueue.appTransaction] {
                let answer = try await get(store, "v1/transactions/appTransactions/\(identifier)", token)
                let signed = try ParsedJWS(answer.json["signedAppTransactionInfo"]?.stringValue)
                #expect(try signed.isSigned(by: try await store.apple.appStore()))
                #expect(signed.payload["appTransactionId"] == "7000000000000000001")
                #expect(signed.payload["receiptType"] == "Sandbox")
                #expect(signed.payload["bundleId"] == "com.example.app")
                #expect(signed.payload["originalPurchaseDate"] == .integer(FakePaymentQueue.firstSeen.milliseconds))
                #expect(signed.payload["originalPlatform"] == "iOS")
            }
        }
    }

    // MARK: History

    @Test(arguments: ["v1/history", "v2/history"])
    func `pages of twenty follow each other by revision, and what changes comes behind the last`(
        path: String
    ) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellConsumables(45)
            let token = try await store.serverToken().text()
            var (read, revision, sizes): ([String], String?, [Int]) = ([], nil, [])
            while true {
                let query = revision.map { "?revision=\($0)" } ?? ""
                let answer = try await get(store, "\(path)/\(Self.trial)\(query)", token)
                #expect(answer.json["bundleId"] == "com.example.app")
                #expect(answer.json["environment"] == "Sandbox")
                #expect(answer.json["appAppleId"] == nil)
                let page = try await payloads(answer, store).compactMap { $0["transactionId"]?.stringValue }
                (read, sizes) = (read + page, sizes + [page.count])
                revision = try #require(answer.json["revision"]?.stringValue)
                guard answer.json["hasMore"] == .bool(true) else { break }
            }
            #expect(sizes == [20, 20, 5])
            #expect(read == (1...45).map { "\(2_000_000_000_000_000 + $0)" })
            let rest = try await get(store, "\(path)/\(Self.trial)?revision=\(revision ?? "")", token)
            #expect(rest.json["signedTransactions"] == .array([]))
            #expect(rest.json["revision"]?.stringValue == revision)
            // Another identifier of the same customer has the same history.
            let again = try await get(
                store, "\(path)/\(FakePaymentQueue.appTransaction)?revision=\(revision ?? "")", token)
            #expect(again.status == 200)
        }
    }

    @Test func `a revision of another query, another path or another place is refused`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellConsumables(25)
            let token = try await store.serverToken().text()
            let first = try await get(store, "v2/history/\(Self.trial)?sort=DESCENDING", token)
            let revision = try #require(first.json["revision"]?.stringValue)
            let good = try await get(store, "v2/history/\(Self.trial)?sort=DESCENDING&revision=\(revision)", token)
            #expect(try await payloads(good, store).count == 5)
            for query in [
                "v2/history/\(Self.trial)?revision=\(revision)",
                "v2/history/\(Self.trial)?sort=DESCENDING&productType=CONSUMABLE&revision=\(revision)",
                "v1/history/\(Self.trial)?sort=DESCENDING&revision=\(revision)",
                "v2/refund/lookup/\(Self.trial)?revision=\(revision)",
                "v2/history/\(Self.trial)?sort=DESCENDING&revision=1\(revision)x",
                "v2/history/\(Self.trial)?revision=", "v2/history/\(Self.trial)?revision=-1_0",
                "v2/history/\(Self.trial)?revision=99999999999999999999_0",
            ] { refuses(try await get(store, query, token), 4_000_005, query) }
        }
    }

    @Test func `filters are Apple's, and names it does not know are passed over`() async throws {
        try await withSamples { store, token in
            func selected(_ query: String, _ version: String = "v2") async throws -> [String] {
                let answer = try await get(store, "\(version)/history/\(Self.trial)?\(query)", token)
                #expect(answer.status == 200, "\(query)")
                return try await payloads(answer, store).compactMap { $0["transactionId"]?.stringValue }
            }
            let all = ["2000000000000001", "2000000000000002", "2000000000000003"]
            let everything = try await selected("")
            #expect(everything == all)
            #expect(try await selected("colour=blue&limit=1") == all)
            #expect(try await selected("sort=DESCENDING") == all.reversed())
            #expect(try await selected("productType=NON_CONSUMABLE") == ["2000000000000002"])
            #expect(try await selected("productType=CONSUMABLE&productType=AUTO_RENEWABLE") == [all[0], all[2]])
            #expect(try await selected("productId=com.example.pro") == [all[0], all[2]])
            #expect(try await selected("productId=none") == [])
            #expect(try await selected("subscriptionGroupIdentifier=g1") == [all[0], all[2]])
            #expect(try await selected("startDate=1795600060123") == [all[1], all[2]])
            #expect(try await selected("endDate=1795600060123") == [all[0]], "the end is not included")
            #expect(try await selected("endDate=1795600060124") == [all[0], all[1]])
            #expect(try await selected("startDate=0&endDate=9223372036854775807") == all)
            // As the libraries of two languages write it.
            for isTrue in ["true", "True"] { #expect(try await selected("revoked=\(isTrue)") == [all[2]]) }
            for isFalse in ["false", "False"] { #expect(try await selected("revoked=\(isFalse)") == [all[0], all[1]]) }
            for version in ["v1", "v2"] {
                #expect(try await selected("excludeRevoked=true", version) == [all[0], all[1]])
                #expect(try await selected("excludeRevoked=false", version) == all)
                #expect(try await selected("revoked=true", version) == [all[2]])
                #expect(try await selected("revoked=true&excludeRevoked=true", version) == [])
            }
            #expect(try await selected("inAppOwnershipType=PURCHASED") == all)
            #expect(try await selected("inAppOwnershipType=FAMILY_SHARED") == [])
            store.payments.contents.withLock { $0.serverReading.transactions[1].item.isFamilyShared = true }
            #expect(try await selected("inAppOwnershipType=FAMILY_SHARED") == [all[1]])
            #expect(try await selected("inAppOwnershipType=PURCHASED") == [all[0], all[2]])
            let answer = try await get(store, "v1/transactions/\(all[1])", token)
            let signed = try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue)
            #expect(signed.payload["inAppOwnershipType"] == "FAMILY_SHARED")
        }
    }

    @Test func `a payment of a commitment has its plan and number, and no other purchase has`()
        async throws
    {
        try await withSamples { store, token in
            let end = Timestamp(milliseconds: 1_827_136_000_000)
            store.payments.contents.withLock { contents in
                contents.serverReading.transactions[0].item.billingPlanType = .monthly
                contents.serverReading.transactions[0].item.commitment = Commitment(
                    billingPeriodNumber: 3, totalBillingPeriods: 12, price: Sample.pro.price, expiresDate: end)
            }
            let answer = try await get(store, "v1/transactions/2000000000000001", token)
            let signed = try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue)
            #expect(signed.payload["billingPlanType"] == "MONTHLY")
            #expect(signed.payload["commitmentInfo"]?["billingPeriodNumber"] == 3)
            #expect(signed.payload["commitmentInfo"]?["commitmentExpiresDate"] == 1_827_136_000_000)
            let other = try await get(store, "v1/transactions/2000000000000002", token)
            let plain = try ParsedJWS(other.json["signedTransactionInfo"]?.stringValue)
            #expect(plain.payload["billingPlanType"] == nil && plain.payload["commitmentInfo"] == nil)
        }
    }

    @Test(arguments: [
        ("startDate=x", 4_000_015), ("startDate=-1", 4_000_015), ("endDate=x", 4_000_016),
        ("startDate=2&endDate=1", 4_000_013), ("startDate=2&endDate=2", 4_000_013), ("sort=UP", 4_000_021),
        ("productType=Consumable", 4_000_022), ("productId=", 4_000_023),
        ("subscriptionGroupIdentifier=", 4_000_024), ("inAppOwnershipType=MINE", 4_000_026), ("revoked=1", 4_000_030),
    ])
    func `a filter that is none has the error of its name`(query: String, code: Int) async throws {
        try await withSamples { store, token in
            refuses(try await get(store, "v2/history/\(Self.trial)?\(query)", token), code)
            #expect(store.payments.contents.withLock { $0.serverReading.pages.isEmpty })
        }
    }

    @Test func `the earlier version leaves out consumables that are finished and were not taken back`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellConsumables(3)
            store.payments.contents.withLock { contents in
                contents.serverReading.finished = [Self.trial, "2000000000000002"]
                contents.serverReading.transactions[1].item.cancellationDate = FakePaymentQueue.firstSeen
            }
            let token = try await store.serverToken().text()
            func all(_ version: String) async throws -> [String?] {
                let answer = try await get(store, "\(version)/history/\(Self.trial)", token)
                return try await payloads(answer, store).map { $0["transactionId"]?.stringValue }
            }
            #expect(try await all("v1") == ["2000000000000002", "2000000000000003"])
            #expect(try await all("v2") == ["2000000000000001", "2000000000000002", "2000000000000003"])
        }
    }

    @Test func `the refund history has what was refunded, whatever else the query says`() async throws {
        try await withSamples { store, token in
            let path = "v2/refund/lookup/\(Self.trial)?sort=DESCENDING"
            // It was revoked, which is no refund.
            #expect(try await payloads(try await get(store, path, token), store).isEmpty)
            store.payments.contents.withLock {
                $0.serverReading.transactions[2].item.revocationType = .refundFull
            }
            let answer = try await get(store, path, token)
            #expect(try await payloads(answer, store).map { $0["transactionId"] } == ["2000000000000003"])
            #expect(answer.json["hasMore"] == .bool(false))
            #expect(answer.json["revision"]?.stringValue?.isEmpty == false)
            #expect(store.payments.contents.withLock { $0.serverReading.pages.map(\.order) } == [.refunds, .refunds])
            refuses(try await get(store, "v1/history/\(Self.trial)?excludeRevoked=1", token), 4_000_025)
        }
    }

    @Test func `the earlier refund history has the last fifty, the oldest of them first`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellConsumables(60)
            store.payments.contents.withLock { contents in
                for place in 0..<55 { contents.serverReading.transactions[place].item.revocationType = .refundFull }
            }
            let token = try await store.serverToken().text()
            let answer = try await get(store, "v1/refund/lookup/\(Self.trial)", token)
            #expect(Set((answer.json.objectValue ?? [:]).keys) == ["signedTransactions"])
            let read = try await payloads(answer, store).compactMap { $0["transactionId"]?.stringValue }
            #expect(read == (6...55).map { "\(2_000_000_000_000_000 + $0)" })
        }
    }

    @Test func `the earlier refund history wants the identifier of an original transaction`() async throws {
        try await withSamples { store, token in
            for text in ["x", "-1", Self.renewal, FakePaymentQueue.appTransaction] {
                refuses(try await get(store, "v1/refund/lookup/\(text)", token), 4_000_008, text)
            }
            refuses(try await get(store, "v1/refund/lookup/404", token), 4_040_005)
            let none = try await get(store, "v1/refund/lookup/\(Self.trial)", token)
            #expect(none.json == .object(["signedTransactions": .array([])]))
        }
    }

    @Test func `a slash at the end of a path changes nothing, as older libraries write it`() async throws {
        try await withSamples { store, token in
            let found = try await get(store, "v1/transactions/\(Self.trial)/", token)
            #expect(found.json["signedTransactionInfo"] != nil)
            let body = #"{"extendByDays":1,"extendReasonCode":1,"requestIdentifier":"r","productId":"com.example.pro"}"#
            let extended = try await store.send(
                .POST, "/inApps/v1/subscriptions/extend/mass/", token: token, body: body)
            #expect(extended.json == .object(["requestIdentifier": "r"]))
            #expect(try await store.send(.GET, "/inApps/v1/history/", token: token).status == 404)
        }
    }

    // MARK: Subscriptions

    @Test func `statuses have each group's latest transaction and renewal information`() async throws {
        try await withSamples { store, token in
            let answer = try await get(store, "v1/subscriptions/\(Self.trial)", token)
            #expect(answer.json["environment"] == "Sandbox")
            #expect(answer.json["bundleId"] == "com.example.app")
            let group = try #require(answer.json["data"]?.arrayValue?.first)
            #expect(group["subscriptionGroupIdentifier"] == "g1")
            let item = try #require(group["lastTransactions"]?.arrayValue?.first)
            #expect(item["status"] == .integer(1))
            #expect(item["originalTransactionId"] == "1000000001")
            let authority = try await store.apple.appStore()
            let transaction = try ParsedJWS(item["signedTransactionInfo"]?.stringValue)
            let renewal = try ParsedJWS(item["signedRenewalInfo"]?.stringValue)
            #expect(try transaction.isSigned(by: authority))
            #expect(try renewal.isSigned(by: authority))
            #expect(transaction.payload["transactionId"]?.stringValue == Self.renewal)
            #expect(renewal.payload["autoRenewStatus"] == .integer(1))
            #expect(renewal.payload["autoRenewProductId"] == "com.example.pro")
            #expect(renewal.payload["renewalDate"] == .integer(1_800_000_000_000))
            #expect(renewal.payload["recentSubscriptionStartDate"] == .integer(1_795_600_000_123))
            #expect(renewal.payload["expirationIntent"] == nil)
        }
    }

    @Test(arguments: [("status=1", 1), ("status=2", 0), ("status=2&status=1", 1), ("status=5", 0)])
    func `statuses can be selected by number`(query: String, count: Int) async throws {
        try await withSamples { store, token in
            let answer = try await get(store, "v1/subscriptions/\(Self.trial)?\(query)", token)
            #expect(answer.json["data"]?.arrayValue?.count == count)
            for text in ["0", "6", "active", ""] {
                refuses(try await get(store, "v1/subscriptions/\(Self.trial)?status=\(text)", token), 4_000_031)
            }
        }
    }

    // MARK: Environments

    @Test func `payloads name the app's environment, and production its number too`() async throws {
        try await withSamples { store, token in
            let settings = "/admin/v1/apps/com.example.app/server-api"
            for environment in AppStoreEnvironment.allCases where environment != .xcode {
                let body = #"{"environment":"\#(environment.rawValue)","appAppleId":1234567890}"#
                let put = try await store.send(.PUT, settings, token: Sample.adminKey, body: body)
                #expect(put.status == 200)
                let history = try await get(store, "v2/history/\(Self.trial)", token)
                #expect(history.json["environment"]?.stringValue == environment.rawValue)
                #expect((history.json["appAppleId"] == .integer(1_234_567_890)) == (environment == .production))
                let payload = try await payloads(history, store).first
                #expect(payload?["environment"]?.stringValue == environment.rawValue)
            }
        }
    }

    @Test func `Apple's host names select an environment, and any other host none`() async throws {
        try await withSamples { store, token in
            func status(_ host: String) async throws -> Int {
                try await store.send(
                    .GET, "/inApps/v1/transactions/\(Self.trial)", token: token, headers: [("Host", host)]
                ).status
            }
            let sandbox = try await status("api.storekit-sandbox.apple.com")
            #expect(sandbox == 200)
            #expect(try await status("api.storekit-sandbox.itunes.apple.com:443") == 200)
            #expect(try await status("api.storekit.apple.com") == 404)
            #expect(try await status("localhost:7430") == 200)
            let body = #"{"environment":"Production","appAppleId":1}"#
            let path = "/admin/v1/apps/com.example.app/server-api"
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: body).status == 200)
            #expect(try await status("api.storekit.apple.com") == 200)
            #expect(try await status("API.STOREKIT.ITUNES.APPLE.COM") == 200)
            #expect(try await status("api.storekit-sandbox.apple.com") == 404)
        }
    }

    // MARK: Failures

    @Test func `a service that is away is Apple's error to try again, and nothing else leaks`() async throws {
        try await withSamples { store, token in
            let path = "v1/transactions/\(Self.trial)"
            for (failure, code) in [
                (StoreError(.serviceUnavailable, "away"), 5_000_001),
                (StoreError(.internal, "a row is damaged"), 5_000_000),
                (StoreError(.requestInvalid, "a member is wrong"), 4_000_000),
            ] {
                store.payments.contents.withLock { $0.serverReading.failure = failure }
                let answer = try await get(store, path, token)
                refuses(answer, code, failure.message)
                #expect(!answer.text.contains(failure.message))
            }
        }
    }

    @Test func `what is not built answers 501 to every caller`() async throws {
        try await withSamples { store, token in
            for (method, path) in [
                (HTTPMethod.PUT, "v1/messaging/image/1"), (.GET, "v1/messaging/message/list"),
                (.POST, "v1/messaging/performanceTest"),
            ] {
                for credentials in [token, nil] {
                    let answer = try await store.send(method, "/inApps/\(path)", token: credentials)
                    #expect(answer.status == 501, "\(path)")
                    #expect(answer.code == "notImplemented")
                }
            }
        }
    }
}
