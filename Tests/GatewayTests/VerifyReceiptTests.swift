import EventLoop
import Foundation
import NIOHTTP1
import Signing
import StoreModels
import Testing

@testable import AppStoreServer

/// `POST /verifyReceipt` as Apple's clients see it.
@Suite struct VerifyReceiptTests {
    private func receipt(_ store: GatewayHarness) async throws -> String {
        let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
        return try #require(answer.json["receiptData"]?.stringValue)
    }

    private func verify(
        _ store: GatewayHarness, _ members: [String: JSONValue], host: String? = nil
    ) async throws -> JSONValue {
        let body = try StoreJSON.encode(JSONValue.object(members))
        let answer = try await store.send(
            .POST, "/verifyReceipt", headers: host.map { [("Host", $0)] } ?? [], bytes: body)
        #expect(answer.status == 200)
        return answer.json
    }

    private func sign(_ store: GatewayHarness, _ change: (inout ReceiptDocument) -> Void) async throws -> String {
        var document = ReceiptDocument(
            environment: .sandbox, bundleId: Sample.bundleId, applicationVersion: "1.0",
            customerIdentifier: FakePaymentQueue.customer, creationDate: .wallClock(),
            originalApplicationVersion: "1.0", purchases: [])
        change(&document)
        return try ReceiptSigner(try await store.apple.authority()).sign(document).base64
    }

    @Test func `a receipt without subscriptions has no further members`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await verify(store, ["receipt-data": .string(try await receipt(store))])
            #expect(answer["status"] == 0)
            #expect(answer["environment"] == "Sandbox")
            #expect(Set((answer.objectValue ?? [:]).keys) == ["status", "environment", "receipt"])
            let receipt = try #require(answer["receipt"])
            #expect(receipt["receipt_type"] == "ProductionSandbox")
            #expect(receipt["bundle_id"] == .string(Sample.bundleId))
            #expect(receipt["in_app"] == .array([]))
            #expect(receipt["request_date"] == "2027-01-15 08:00:00 Etc/GMT")
            #expect(receipt["request_date_ms"] == "1800000000000")
            #expect(receipt["request_date_pst"] == "2027-01-15 00:00:00 America/Los_Angeles")
            #expect(receipt["receipt_creation_date_ms"] == "1800000000000")
            #expect(receipt["original_purchase_date_pst"] == "2026-09-21 07:13:20 America/Los_Angeles", "summer")
            #expect(receipt["original_application_version"] == "1.0")
            #expect(receipt["adam_id"] == 0)
        }
    }

    @Test func `purchases have Apple's members, all text, in whole seconds (M118, M122)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.buySamples()
            store.payments.subscribe()
            let answer = try await verify(store, ["receipt-data": .string(try await receipt(store))])
            let latest = try #require(answer["latest_receipt_info"]?.arrayValue)
            #expect(latest.compactMap { $0["transaction_id"]?.stringValue?.last } == ["3", "2", "1"], "newest first")
            let trial: JSONValue = .object([
                "quantity": "1", "product_id": .string(Sample.pro.productIdentifier),
                "transaction_id": "2000000000000001", "original_transaction_id": "2000000000000001",
                "purchase_date": "2026-11-25 09:46:40 Etc/GMT", "purchase_date_ms": "1795600000000",
                "purchase_date_pst": "2026-11-25 01:46:40 America/Los_Angeles",
                "original_purchase_date": "2026-11-25 09:46:40 Etc/GMT", "original_purchase_date_ms": "1795600000000",
                "original_purchase_date_pst": "2026-11-25 01:46:40 America/Los_Angeles",
                "expires_date": "2026-12-02 09:46:40 Etc/GMT", "expires_date_ms": "1796204800000",
                "expires_date_pst": "2026-12-02 01:46:40 America/Los_Angeles",
                "web_order_line_item_id": "1000000000000001", "is_trial_period": "true",
                "is_in_intro_offer_period": "false", "in_app_ownership_type": "PURCHASED",
                "subscription_group_identifier": "g1",
            ])
            #expect(latest[2] == trial)
            let inApp = try #require(answer["receipt"]?["in_app"]?.arrayValue)
            #expect(inApp.count == 3)
            var fromReceipt = trial.objectValue ?? [:]
            fromReceipt["subscription_group_identifier"] = nil
            #expect(inApp.contains(.object(fromReceipt)), "the receipt itself knows no groups")
            let refunded = latest[0]
            #expect(refunded["cancellation_date_ms"] == "1796291200000")
            #expect(refunded["cancellation_reason"] == "1")
            #expect(refunded["is_upgraded"] == "true")
            #expect(refunded["promotional_offer_id"] == "spring")
            let same = inApp.first { $0["transaction_id"] == refunded["transaction_id"] }
            #expect(same?["cancellation_reason"] == "1")
            #expect(same?["promotional_offer_id"] == "spring")
            let kept = latest[1]
            #expect(kept["app_account_token"] == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
            #expect(kept["is_trial_period"] == "false")
            for name in ["is_in_intro_offer_period", "expires_date", "web_order_line_item_id", "cancellation_date"] {
                #expect(kept[name] == nil, "\(name)")
            }
            let renewal = try #require(answer["pending_renewal_info"]?.arrayValue?.first)
            #expect(renewal["subscription_group_identifier"] == "g1")
            #expect(renewal["auto_renew_status"] == "1")
            let again = try await verify(store, ["receipt-data": try #require(answer["latest_receipt"])])
            #expect(again["latest_receipt_info"] == answer["latest_receipt_info"])
        }
    }

    @Test func `what the family shares is FAMILY_SHARED, in the receipt too`() async throws {
        try await GatewayHarness.run { store in
            store.payments.buySamples()
            store.payments.contents.withLock { contents in
                for index in contents.receiptItems.indices { contents.receiptItems[index].isFamilyShared = true }
            }
            let data = try await receipt(store)
            let answer = try await verify(store, ["receipt-data": .string(data)])
            let inApp = try #require(answer["receipt"]?["in_app"]?.arrayValue)
            #expect(inApp.count == 3)
            for item in try #require(answer["latest_receipt_info"]?.arrayValue) + inApp {
                #expect(item["in_app_ownership_type"] == "FAMILY_SHARED")
            }
        }
    }

    @Test func `old transactions are left out when that is asked for`() async throws {
        try await GatewayHarness.run { store in
            store.payments.buySamples()
            let data = JSONValue.string(try await receipt(store))
            for flag in [JSONValue.bool(true), "true"] {
                let answer = try await verify(store, ["receipt-data": data, "exclude-old-transactions": flag])
                let latest = answer["latest_receipt_info"]?.arrayValue ?? []
                #expect(latest.compactMap { $0["transaction_id"]?.stringValue?.last } == ["3", "2"])
                #expect(answer["receipt"]?["in_app"]?.arrayValue?.count == 3, "the receipt stays what it is")
            }
            let all = try await verify(store, ["receipt-data": data, "exclude-old-transactions": false])
            #expect(all["latest_receipt_info"]?.arrayValue?.count == 3)
        }
    }

    @Test func `a receipt from before the first subscription is answered with what came since`() async throws {
        try await GatewayHarness.run { store in
            let old = try await receipt(store)
            store.payments.buySamples()
            let answer = try await verify(store, ["receipt-data": .string(old)])
            #expect(answer["receipt"]?["in_app"] == .array([]))
            #expect(answer["latest_receipt_info"]?.arrayValue?.count == 3)
        }
    }

    @Test(arguments: [
        #"{"password":"x"}"#, "", "{}", "[]", "nonsense", #"{"receipt-data":17}"#, #"{"receipt-data":""}"#,
        #"{"receipt-data":"no base64"}"#, #"{"receipt-data":"MIIT"}"#, #"{"receipt-data":"e30="}"#,
    ])
    func `21002: no receipt`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/verifyReceipt", body: body)
            #expect(answer.status == 200)
            #expect(answer.json == .object(["status": 21002]))
        }
    }

    @Test func `21000: not a POST`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/verifyReceipt")
            #expect(answer.status == 200)
            #expect(answer.json == .object(["status": 21000]))
        }
    }

    @Test func `21003: another store's, or changed`() async throws {
        try await GatewayHarness.run { store in
            let data = try await receipt(store)
            var bytes = Array(try #require(Data(base64Encoded: data)))
            bytes[bytes.count / 2] ^= 1
            let forged = try ReceiptSigner(CertificateAuthority()).sign(
                try await store.apple.read(data))
            for receipt in [bytes, forged] {
                let answer = try await verify(store, ["receipt-data": .string(receipt.base64)])
                #expect(answer == .object(["status": 21003]))
            }
        }
    }

    @Test func `21004: subscriptions want the shared secret of an app that has one`() async throws {
        try await GatewayHarness.run { store in
            let before = try await receipt(store)
            store.payments.buySamples()
            let data = JSONValue.string(try await receipt(store))
            for password in [nil, "anything"] as [JSONValue?] {
                let answer = try await verify(
                    store, ["receipt-data": data].merging(password.map { ["password": $0] } ?? [:]) { $1 })
                #expect(answer["status"] == 0, "an app without a shared secret asks for none")
            }
            let path = "/admin/v1/apps/com.example.app/keys"
            let made = try await store.send(.POST, path, token: Sample.adminKey, body: #"{"kind":"sharedSecret"}"#)
            let secret = try #require(made.json["secret"])
            #expect(try await verify(store, ["receipt-data": data, "password": secret])["status"] == 0)
            for wrong in [nil, "", "anything", .string(try await store.apiKey())] as [JSONValue?] {
                let answer = try await verify(
                    store, ["receipt-data": data].merging(wrong.map { ["password": $0] } ?? [:]) { $1 })
                #expect(answer == .object(["status": 21004]))
            }
            #expect(
                try await verify(store, ["receipt-data": .string(before)])["status"] == 21004,
                "what came since is told, too")
            store.payments.contents.withLock { $0.receiptItems = [] }
            #expect(
                try await verify(store, ["receipt-data": .string(before)])["status"] == 0, "no subscriptions, no secret"
            )
        }
    }

    @Test func `21005: PaymentQueue is away; 21009: something broke`() async throws {
        try await GatewayHarness.run { store in
            let data = JSONValue.string(try await receipt(store))
            for code in [StoreErrorCode.serviceUnavailable, .deadlineExceeded] {
                store.payments.contents.withLock { $0.failure = StoreError(code, "away") }
                #expect(try await verify(store, ["receipt-data": data]) == .object(["status": 21005]))
            }
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            #expect(try await verify(store, ["receipt-data": data]) == .object(["status": 21009]))
        }
    }

    @Test(
        arguments: [
            (ReceiptEnvironment.sandbox, nil, 0), (.sandbox, "sandbox.itunes.apple.com", 0),
            (.sandbox, "buy.itunes.apple.com", 21007), (.production, nil, 21008),
            (.production, "sandbox.itunes.apple.com:443", 21008), (.production, "BUY.itunes.apple.com", 0),
        ] as [(ReceiptEnvironment, String?, Int)])
    func `21007 and 21008: the other environment's endpoint (S11)`(
        receipt: ReceiptEnvironment, host: String?, status: Int
    ) async throws {
        try await GatewayHarness.run { store in
            let data = try await sign(store) { $0.environment = receipt }
            let answer = try await verify(store, ["receipt-data": .string(data)], host: host)
            #expect(answer["status"] == .integer(status))
            if status == 0 { #expect(answer["environment"] == .string(receipt.name)) }
        }
    }

    @Test func `21010: a customer who is unknown, or was cleared`() async throws {
        try await GatewayHarness.run { store in
            let data = try await sign(store) { $0.customerIdentifier = "c_nobody" }
            #expect(try await verify(store, ["receipt-data": .string(data)]) == .object(["status": 21010]))
        }
    }

    @Test func `Apple's numbers, but for two: 21001 it sends no longer, 21006 is of receipts older than these`() {
        // The gateway answers 21000 itself.
        #expect(
            [21000] + VerifyReceiptStatus.allCases.map(\.rawValue)
                == (21000...21010).filter { $0 != 21001 && $0 != 21006 })
    }

    @Test func `unknown members are ignored, and so is the body's type`() async throws {
        try await GatewayHarness.run { store in
            let data = try await receipt(store)
            let answer = try await store.send(
                .POST, "/verifyReceipt", headers: [("Content-Type", "text/plain")],
                body: #"{"receipt-data":"\#(data)","what":{"ever":[1]}}"#)
            #expect(answer.json["status"] == 0)
        }
    }

    @Test func `a body over the limit is 413, one below it is read`() async throws {
        try await GatewayHarness.run { store in
            let room = 960 << 10 - #"{"receipt-data":""}"#.utf8.count
            for (length, status) in [(room, 200), (room + 1, 413)] {
                let text = String(repeating: "A", count: length)
                let answer = try await store.send(.POST, "/verifyReceipt", body: #"{"receipt-data":"\#(text)"}"#)
                #expect(answer.status == status)
            }
        }
    }
}
