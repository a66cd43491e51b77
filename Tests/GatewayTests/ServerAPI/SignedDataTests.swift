import Cryptography
import EventLoop
import Foundation
import NIOHTTP1
import Signing
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway

/// Goal: StoreKit 2 gets its customer's transactions, statuses and purchases signed, and bound to the device.
@Suite struct SignedDataTests {
    private struct Opened {
        let token: String
        let device: String
        let json: JSONValue
    }

    private func open(_ store: GatewayHarness, device: String = Sample.deviceId) async throws -> Opened {
        let body = """
            {"bundleId":"\(Sample.bundleId)","deviceId":"\(device)","account":"alice","platform":"iOS",
            "osVersion":"17.0","appVersion":"1.0"}
            """
        let json = try await store.send(.POST, "/v1/sessions", body: body).json
        return Opened(
            token: json["token"]?.stringValue ?? "", device: json["deviceVerificationId"]?.stringValue ?? "", json: json
        )
    }

    /// Whether a payload is bound to the device, as StoreKit computes it there.
    private func isBound(_ payload: JSONValue, to device: String) -> Bool {
        guard let nonce = payload["deviceVerificationNonce"]?.stringValue, UUID(uuidString: nonce) != nil else {
            return false
        }
        let value = Data(SHA384.hash(data: Data((nonce + device).utf8))).base64EncodedString()
        return nonce == nonce.lowercased() && payload["deviceVerification"]?.stringValue == value
    }

    // MARK: Sessions

    @Test func `a session names its device's identifier, the environment and the root`() async throws {
        try await GatewayHarness.run { store in
            let phone = try await open(store)
            #expect(phone.json["environment"] == "Sandbox")
            let root = Data(try await store.apple.appStore().rootDER).base64EncodedString()
            #expect(phone.json["rootCertificate"]?.stringValue == root)
            #expect(UUID(uuidString: phone.device) != nil)
            #expect(phone.device == phone.device.lowercased())
            #expect(try await open(store).device == phone.device)
            #expect(try await open(store, device: "other").device != phone.device)
        }
    }

    @Test func `in Xcode a session names the only certificate of the app's data`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.payments.commit(Sample.purchased("t_1"))
            _ = try await store.send(
                .PUT, "/admin/v1/apps/\(Sample.bundleId)/server-api", token: Sample.adminKey,
                body: #"{"environment":"Xcode"}"#)
            let phone = try await open(store)
            #expect(phone.json["environment"] == "Xcode")
            let answer = try await store.send(.GET, "/v1/transactions/t_1/jws", token: phone.token)
            let signed = try ParsedJWS(answer.json["signedTransactionInfo"]?.stringValue)
            let certificate = try #require(phone.json["rootCertificate"])
            #expect(signed.header["x5c"]?.arrayValue == [certificate])
        }
    }

    @Test func `an app in production gets no root from its session`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await open(store).json["environment"] == "Sandbox")
            let path = "/admin/v1/apps/\(Sample.bundleId)/server-api"
            _ = try await store.send(
                .PUT, path, token: Sample.adminKey, body: #"{"environment":"Production","appAppleId":1}"#)
            // The gateway that has passed the change on does not answer from its cache.
            let opened = try await open(store)
            #expect(opened.json["environment"] == "Production")
            #expect(opened.json["rootCertificate"] == nil)
        }
    }

    @Test func `sync reads the account anew, and fails while PaymentQueue is away`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let asked = store.payments.contents.withLock { $0.accountRequests.count }
            #expect(try await store.send(.POST, "/v1/sync", token: token).status == 204)
            #expect(store.payments.contents.withLock { $0.accountRequests.count } == asked + 1)
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            let answer = try await store.send(.POST, "/v1/sync", token: token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
        }
    }

    // MARK: Lists

    @Test func `a list has the customer's transactions, newest first, each bound to the device`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let phone = try await open(store)
            let page = try await store.send(.GET, "/v1/signed/transactions", token: phone.token)
            #expect(page.status == 200)
            let texts = page.json["signedTransactions"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let signed = try texts.map { try ParsedJWS($0) }
            let expected = store.payments.contents.withLock { contents in
                contents.serverReading.transactions.reversed().map(\.item.transactionIdentifier)
            }
            #expect(signed.map { $0.payload["transactionId"]?.stringValue } == expected)
            for item in signed {
                #expect(isBound(item.payload, to: phone.device))
                #expect(try item.isSigned(by: try await store.apple.appStore()))
            }
            let nonces = Set(signed.compactMap { $0.payload["deviceVerificationNonce"]?.stringValue })
            #expect(nonces.count == signed.count)
        }
    }

    @Test func `the query of a list reaches PaymentQueue, and a known revision is answered with nothing`() async throws
    {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.session()
            let path = "/v1/signed/transactions?view=latest&product=p&finishedConsumables=true&after=9&limit=3"
            #expect(try await store.send(.GET, path, token: token).status == 200)
            let request = store.payments.contents.withLock { $0.serverReading.views.last }
            #expect(
                request
                    == ViewedTransactionsRequest(
                        bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer, view: .latest,
                        productIdentifier: "p", hasFinishedConsumables: true, after: 9, limit: 3))
            func list(_ revision: String) async throws -> JSONValue {
                try await store.send(.GET, "/v1/signed/transactions?revision=\(revision)", token: token).json
            }
            let revision = try #require(try await list("r1")["revision"]?.stringValue)
            #expect(revision.hasPrefix("r1-"))
            let known = try await list(revision)
            #expect(known["isUnchanged"] == true)
            #expect(known["signedTransactions"]?.arrayValue?.isEmpty == true)
        }
    }

    @Test func `a known revision counts no more once certificates or settings have changed`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.session()
            var revision = "0"
            func isUnchanged() async throws -> Bool {
                let page = try await store.send(.GET, "/v1/signed/transactions?revision=\(revision)", token: token).json
                revision = page["revision"]?.stringValue ?? ""
                return page["isUnchanged"] == true
            }
            _ = try await isUnchanged()
            #expect(try await isUnchanged())
            _ = try await store.send(
                .POST, "/admin/v1/signing/rotate", token: Sample.adminKey, body: #"{"authority":"leaf"}"#)
            #expect(try await !isUnchanged())
            #expect(try await isUnchanged())
            _ = try await store.send(
                .PUT, "/admin/v1/apps/\(Sample.bundleId)/server-api", token: Sample.adminKey,
                body: #"{"environment":"Production","appAppleId":1}"#)
            #expect(try await !isUnchanged())
            #expect(try await isUnchanged())
        }
    }

    @Test(arguments: ["view=none", "limit=0", "limit=101", "after=x", "finishedConsumables=1", "other=1"])
    func `a query that is none is refused`(query: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .GET, "/v1/signed/transactions?\(query)", token: try await store.session())
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test func `statuses are by group, with transaction and renewal bound to the device`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let phone = try await open(store)
            let answer = try await store.send(.GET, "/v1/signed/subscriptions", token: phone.token)
            #expect(answer.status == 200)
            let group = answer.json["groups"]?.arrayValue?.first
            #expect(group?["groupID"]?.stringValue == Sample.subscription.subscriptionGroupIdentifier)
            let status = group?["statuses"]?.arrayValue?.first
            #expect(status?["state"] == .integer(Int64(Sample.subscription.state.serverNumber)))
            for name in ["signedTransaction", "signedRenewalInfo"] {
                let signed = try ParsedJWS(status?[name]?.stringValue)
                #expect(isBound(signed.payload, to: phone.device))
            }
            // The samples' subscription has another first transaction than their purchases.
            let others = "2000000000000001"
            for (query, count) in [
                ("group=none", 0), ("group=\(Sample.subscription.subscriptionGroupIdentifier)", 1),
                ("transaction=\(others)", 0), ("transaction=2000000000000999", 0),
            ] {
                let some = try await store.send(.GET, "/v1/signed/subscriptions?\(query)", token: phone.token)
                #expect(some.json["groups"]?.arrayValue?.count == count, "\(query)")
            }
        }
    }

    // MARK: Purchases

    private func purchase(_ store: GatewayHarness, _ token: String) async throws -> Answer {
        try await store.send(
            .POST, "/v1/purchases", token: token, headers: [("Idempotency-Key", "k1")],
            body: #"{"productIdentifier":"com.example.hiddenBeaches"}"#)
    }

    @Test func `a purchase is answered with its outcome and its signed transaction`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let phone = try await open(store)
            store.payments.contents.withLock {
                $0.adding = { request in
                    #expect(request.payment.returnsOutcome == true)
                    return AddPaymentReply(
                        status: 201, transaction: Sample.purchased("t_1", payment: request.payment), isReplayed: true)
                }
            }
            store.payments.commit(Sample.purchased("t_1"))
            let answer = try await purchase(store, phone.token)
            #expect(answer.status == 201)
            #expect(answer.headers.first(name: "Idempotent-Replayed") == "true")
            #expect(answer.json["outcome"] == "purchased")
            #expect(answer.json["transaction"]?["id"] == "t_1")
            let signed = try ParsedJWS(answer.json["signedTransaction"]?.stringValue)
            #expect(signed.payload["transactionId"] == "2000000000000001")
            #expect(isBound(signed.payload, to: phone.device))
            store.payments.contents.withLock { $0.serverReading.isHeld = true }
            #expect(try await purchase(store, phone.token).json["outcome"] == "held")
        }
    }

    @Test func `purchases without a transaction of their own say what became of them`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let errors: [(TransactionError, String)] = [
                (TransactionError(.paymentCancelled, "x"), "cancelled"),
                (TransactionError(.unknown, "x", reason: TransactionError.interrupted), "pending"),
                (TransactionError(.storeProductNotAvailable, "x"), "failed"),
            ]
            for (error, outcome) in errors {
                store.payments.contents.withLock {
                    $0.adding = { request in
                        var failed = Sample.failed("t_2")
                        (failed.error, failed.payment) = (error, request.payment)
                        return AddPaymentReply(status: 201, transaction: failed, isReplayed: false)
                    }
                }
                let answer = try await purchase(store, token)
                #expect(answer.json["outcome"]?.stringValue == outcome)
                #expect(answer.json["signedTransaction"] == nil)
                #expect(answer.json["transaction"]?["error"]?["name"]?.stringValue == error.name)
            }
        }
    }

    @Test func `what was held and was deleted since is answered without a signed transaction`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            store.payments.contents.withLock {
                $0.adding = { request in
                    var failed = Sample.failed("t_2")
                    (failed.error, failed.payment) = (TransactionError.alreadySubscribed, request.payment)
                    return AddPaymentReply(status: 201, transaction: failed, isReplayed: true)
                }
            }
            let answer = try await purchase(store, try await store.session())
            #expect(answer.status == 201)
            #expect(answer.json["outcome"] == "held")
            #expect(answer.json["transaction"]?["id"] == "t_2")
            #expect(answer.json["signedTransaction"] == nil)
        }
    }

    @Test(arguments: [(TransactionState.deferred, "pending"), (.purchasing, "purchasing")])
    func `a purchase without an outcome is 202`(state: TransactionState, outcome: String) async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = { request in
                    AddPaymentReply(
                        status: 202,
                        transaction: PaymentTransaction(
                            id: "t", transactionState: state, payment: request.payment, revision: 1,
                            originDeviceId: request.deviceId), isReplayed: false)
                }
            }
            let answer = try await purchase(store, try await store.session())
            #expect(answer.status == 202)
            #expect(answer.json["outcome"]?.stringValue == outcome)
        }
    }

    @Test func `a purchase that cannot be signed is to be repeated with its key`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.serverReading.failure = StoreError(.serviceUnavailable, "away") }
            let answer = try await purchase(store, token)
            #expect(answer.code == "outcomeUnknown")
        }
    }

    @Test func `a win-back offer of the app's reaches PaymentQueue, alone`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let asked = ElementRecorder<RedeemedOffer?>()
            store.payments.contents.withLock {
                $0.adding = { request in
                    asked.append(request.redeemedOffer)
                    return AddPaymentReply(status: 201, transaction: Sample.failed("t"), isReplayed: false)
                }
            }
            let headers = [("Idempotency-Key", "k1")]
            let body = #"{"productIdentifier":"p","offer":{"winBack":"back"}}"#
            _ = try await store.send(.POST, "/v1/purchases", token: token, headers: headers, body: body)
            #expect(asked.all == [RedeemedOffer(type: .winBack, identifier: "back")])
            let both = #"{"productIdentifier":"p","offer":{"winBack":"back"},"paymentDiscount":{}}"#
            let refused = try await store.send(.POST, "/v1/purchases", token: token, headers: headers, body: both)
            #expect(refused.status == 400)
        }
    }

    // MARK: Stream

    /// Opens a stream of both forms, and reads until it is synchronized.
    private func stream(_ store: GatewayHarness, _ token: String) async throws -> EventReader {
        let reader = try await store.stream(token, query: "?form=2")
        while try await reader.next().name != "synchronized" {}
        return reader
    }

    /// Commits a purchase of Alice's, and tells of it.
    private func buy(_ id: String, group: String? = nil, in store: GatewayHarness) {
        var bought = Sample.purchased(id)
        bought.subscriptionGroupIdentifier = group
        store.payments.write { [bought] contents, seq in
            contents.transactions.append(bought)
            return CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer, seq: seq, kind: .updated,
                transaction: bought, event: .purchased)
        }
    }

    @Test func `a stream of both forms has a purchase and its subscription's status, bound to the device`() async throws
    {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let phone = try await open(store)
            let reader = try await stream(store, phone.token)
            buy("t_1", group: Sample.subscription.subscriptionGroupIdentifier, in: store)
            #expect(try await reader.next().transactions == ["t_1:2"])
            let event = try await reader.next()
            #expect(event.name == "signedTransaction")
            #expect(event.json["id"] == "t_1")
            #expect(event.json["cause"] == "purchase")
            #expect(event.json["requestIdentifier"] == "key-t_1")
            let transaction = try ParsedJWS(event.json["signedTransaction"]?.stringValue)
            #expect(transaction.payload["transactionId"] == "2000000000000001")
            #expect(isBound(transaction.payload, to: phone.device))
            #expect(try transaction.isSigned(by: try await store.apple.appStore()))
            let status = try await reader.next()
            #expect(status.name == "subscriptionStatus")
            #expect(status.json["groupID"]?.stringValue == Sample.subscription.subscriptionGroupIdentifier)
            let renewal = try ParsedJWS(status.json["status"]?["signedRenewalInfo"]?.stringValue)
            #expect(isBound(renewal.payload, to: phone.device))
        }
    }

    @Test func `while nothing can be signed, StoreKit 1's events go on, and the others follow later`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            store.payments.sellSamples()
            let reader = try await stream(store, try await store.session())
            store.payments.contents.withLock { $0.serverReading.failure = StoreError(.serviceUnavailable, "away") }
            buy("t_1", in: store)
            #expect(try await reader.next().transactions == ["t_1:2"])
            while try await !reader.any().text.contains("degraded receipts") {}
            buy("t_2", in: store)
            #expect(try await reader.next().transactions == ["t_2:2"])
            store.payments.contents.withLock { $0.serverReading.failure = nil }
            for id in ["t_1", "t_2"] {
                let event = try await reader.next()
                #expect(event.name == "signedTransaction")
                #expect(event.json["id"]?.stringValue == id)
            }
        }
    }

    // MARK: Refund requests

    @Test func `a customer requests a refund of a transaction of their own`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t_1"))
            let token = try await store.session()
            let answer = try await store.send(.POST, "/v1/transactions/t_1/refund-request", token: token)
            #expect(answer.status == 201)
            #expect(answer.json["transactionId"] == "t_1")
            let bob = try await store.session(account: "bob", device: "bob-1")
            #expect(try await store.send(.POST, "/v1/transactions/t_1/refund-request", token: bob).status == 404)
        }
    }
}
