import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// What support or time does to purchases and subscriptions.
@Suite struct SubscriptionOperatingTests {
    private func send(
        _ store: GatewayHarness, _ verb: String, _ id: String = "t_pro", body: String? = nil
    ) async throws -> Answer {
        try await store.send(.POST, "/admin/v1/transactions/\(id)/\(verb)", token: Sample.adminKey, body: body)
    }

    @Test(arguments: ["refund", "revoke"])
    func `a purchase is taken back with a reason or without (M128)`(verb: String) async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t1"))
            for (body, reason) in [
                (nil, nil), ("{}", nil), (#"{"reason":null}"#, nil), (#"{"reason":"appIssue"}"#, .appIssue),
                (#"{"reason":"other"}"#, .other),
            ] as [(String?, RefundRequest.Reason?)] {
                let answer = try await send(store, verb, "t1", body: body)
                #expect(answer.status == 200)
                #expect(answer.json["revocationDate"] != nil)
                let asked = store.payments.contents.withLock { $0.subscribing.refunds.last }
                #expect(asked?.verb == verb)
                #expect(asked?.request == RefundRequest(ScopedIdentifier("t1", in: .installation), reason: reason))
            }
            #expect(try await send(store, verb, "2000000000000001").status == 200, "by transactionIdentifier")
        }
    }

    @Test func `an app's refund requests that wait are listed by page`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/refund-requests"
            let answer = try await store.send(.GET, "\(path)?after=q_0&limit=1", token: Sample.adminKey)
            #expect(answer.status == 200)
            #expect(answer.json["refundRequests"]?.arrayValue?.first?["refundRequestIdentifier"] == "q_1")
            #expect(answer.json["after"] == "q_1")
            _ = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(
                store.payments.contents.withLock { $0.subscribing.refundLists } == [
                    RefundRequestsRequest(bundleId: Sample.bundleId, after: "q_0", limit: 1),
                    RefundRequestsRequest(bundleId: Sample.bundleId),
                ])
            for query in ["limit=0", "limit=101", "state=open"] {
                #expect(try await store.send(.GET, "\(path)?\(query)", token: Sample.adminKey).status == 400)
            }
        }
    }

    @Test(arguments: ["refund", "revoke"])
    func `what cannot be taken back says so`(verb: String) async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.failed("t1"))
            let failed = try await send(store, verb, "t1")
            #expect(failed.status == 409)
            #expect(failed.code == "transactionStateInvalid")
            #expect(try await send(store, verb, "none").status == 404)
            let wrong = try await send(store, verb, "t1", body: #"{"reason":"boredom"}"#)
            #expect(wrong.status == 400)
        }
    }

    @Test func `each operation is answered with the subscription, and with what it has made`() async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            for operation in OperateSubscriptionRequest.Operation.allCases {
                let days = operation == .extend ? 30 : nil
                let answer = try await send(
                    store, operation.rawValue, body: days.map { #"{"days":\#($0)}"# })
                #expect(answer.status == 200, "\(operation)")
                #expect(answer.json["subscription"]?["id"] == "t_pro")
                let makesOne = operation == .renew || operation == .resolveBilling
                #expect((answer.json["transaction"]?["id"] == "t_renewed") == makesOne, "\(operation)")
                let asked = store.payments.contents.withLock { $0.subscribing.operations.last }
                let named = ScopedIdentifier("t_pro", in: .installation)
                #expect(asked == OperateSubscriptionRequest(named, operation: operation, days: days))
            }
            #expect(try await send(store, "renew", "1000000002").status == 200, "by transactionIdentifier")
            #expect(try await send(store, "renew", "none").status == 404)
        }
    }

    @Test(arguments: [
        ("extend", nil), ("extend", "{}"), ("extend", #"{"days":0}"#), ("extend", #"{"days":91}"#),
        ("extend", #"{"days":"2"}"#), ("renew", #"{"days":1}"#), ("expire", #"{"now":true}"#),
    ])
    func `a wrong operation changes nothing`(verb: String, body: String?) async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let answer = try await send(store, verb, body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
            #expect(store.payments.contents.withLock { $0.subscribing.operations.isEmpty })
        }
    }

    @Test(arguments: [1, 90])
    func `a period is made longer by 1 to 90 days`(days: Int) async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let answer = try await send(store, "extend", body: #"{"days":\#(days)}"#)
            #expect(answer.status == 200)
        }
    }

    @Test func `an unanswered operation may have happened, and is not repeated blindly`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            let renewed = try await send(store, "renew")
            #expect(renewed.status == 504)
            #expect(renewed.code == "outcomeUnknown")
            #expect(renewed.json["retryable"] == false)
            let refunded = try await send(store, "refund")
            #expect(refunded.status == 504)
            #expect(refunded.json["retryable"] == true, "a refund is one refund, however often it is asked for")
        }
    }

    @Test func `subscriptions are found across customers`() async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let query = "bundleId=com.example.app&account=alice&state=inGracePeriod&after=1&limit=5"
            let answer = try await store.send(.GET, "/admin/v1/subscriptions?\(query)", token: Sample.adminKey)
            #expect(answer.status == 200)
            #expect(answer.json["subscriptions"]?.arrayValue?.count == 1)
            let expected = SubscriptionListRequest(
                bundleId: Sample.bundleId, account: "alice", state: .inGracePeriod, after: "1", limit: 5)
            #expect(store.payments.contents.withLock { $0.subscribing.searches } == [expected])
            for wrong in ["state=purchased", "limit=101", "bundleId=a%20b", "product=x"] {
                let answer = try await store.send(.GET, "/admin/v1/subscriptions?\(wrong)", token: Sample.adminKey)
                #expect(answer.status == 400, "\(wrong)")
            }
        }
    }

    @Test func `a timeline is found by any transaction of its subscription`() async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            for id in ["t_pro", "1000000002", "1000000001"] {
                let answer = try await store.send(
                    .GET, "/admin/v1/subscriptions/\(id)/timeline?limit=500", token: Sample.adminKey)
                #expect(answer.status == 200)
                #expect(answer.json["subscription"]?["id"] == "t_pro")
                #expect(answer.json["events"]?.arrayValue?.first?["amount"]?["amount"] == "9.99")
            }
            let asked = store.payments.contents.withLock { $0.subscribing.timelines }
            #expect(asked.map(\.transaction.id) == ["t_pro", "1000000002", "1000000001"])
            #expect(asked.allSatisfy { $0.limit == 500 })
            let none = try await store.send(.GET, "/admin/v1/subscriptions/none/timeline", token: Sample.adminKey)
            #expect(none.status == 404)
        }
    }
}
