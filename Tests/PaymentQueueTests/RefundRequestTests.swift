import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a customer's request for a refund is granted or declined once, in whole or in part, and can be reversed.
@Suite(.serialized) struct RefundRequestTests {
    @Test(arguments: Engine.allCases)
    func `a request is open once, keeps what the server says, and is granted with its share`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let bought = try await alice.bought("coins")
            let identifier = try #require(bought.transactionIdentifier)
            let request = try await store.ask(bought.id, .unintendedPurchase)
            #expect(request.state == .open)
            #expect(request.account == "alice")
            let again = try await refusal { try await store.ask(identifier, .other) }
            #expect(again?.code == .transactionStateInvalid)
            #expect(again?.details["refundRequestIdentifier"] == .string(request.refundRequestIdentifier))
            _ = try await store.caller.call(
                ServerAPIEndpoints.consumption,
                ConsumptionInformation(
                    bundleId: Catalogue.bundleId, transactionIdentifier: identifier,
                    consumption: .object(["customerConsented": .bool(true)])))
            #expect(
                try await store.request(request).consumption == .object(["customerConsented": .bool(true)]))
            for (type, percentage) in [
                (.refundProrated, nil), (.refundProrated, 0), (.refundProrated, 100_001), (.refundFull, 50_000),
                (.familyRevoke, nil),
            ] as [(RevocationType, Int?)] {
                let error = try await refusal { try await store.grant(request, type, percentage) }
                #expect(error?.code == .requestInvalid)
            }
            let granted = try await store.grant(request, .refundProrated, 50_000)
            #expect(granted.state == .granted)
            #expect(granted.decidedAt == TestStore.instant("2027-03-01"))
            #expect(try await store.grant(request, nil, nil) == granted)
            #expect(try await refusal { try await store.decline(request) }?.code == .transactionStateInvalid)
            let item = try #require(try await store.item(identifier))
            #expect(item.revocationType == .refundProrated)
            #expect(item.revocationPercentage == 50_000)
            try await store.settleRefunds()
            // Of 0.99 dollars, rounded down.
            #expect(try await store.refunds().map(\.amount) == [.usd("0.49")])
            #expect(
                try await store.notified() == [
                    "2027-03-01 ONE_TIME_CHARGE coins", "2027-03-01 CONSUMPTION_REQUEST coins",
                    "2027-03-01 REFUND coins",
                ])
            #expect(
                try await store.serverEvents()[1].changes[0].consumptionRequestReason == .unintendedPurchase)
        }
    }

    @Test(arguments: Engine.allCases)
    func `those that wait are listed by app, oldest first, until they are answered`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            var asked: [CustomerRefundRequest] = []
            for number in 0..<5 {
                store.advance(by: .seconds(1))
                asked.append(try await store.ask(try await alice.bought("coins", key: "\(number)").id, .other))
            }
            #expect(try await store.waiting().refundRequests == asked)
            let first = try await store.waiting(limit: 3)
            #expect(first.refundRequests == Array(asked[..<3]))
            #expect(first.after == asked[2].refundRequestIdentifier)
            let second = try await store.waiting(after: first.after, limit: 3)
            #expect(second == RefundRequestsPage(refundRequests: Array(asked[3...])))
            _ = try await store.grant(asked[0], nil, nil)
            _ = try await store.decline(asked[3])
            #expect(try await store.waiting().refundRequests == [asked[1], asked[2], asked[4]])
            #expect(try await store.waiting(of: "com.example.b").refundRequests.isEmpty)
            for limit in [0, 101] {
                #expect(try await refusal { try await store.waiting(limit: limit) }?.code == .requestInvalid)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a request is declined once, and another may follow`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            let bought = try await alice.subscription().id
            let first = try await store.ask(bought, .legal)
            let declined = try await store.decline(first)
            #expect(declined.state == .declined)
            #expect(try await store.decline(first) == declined)
            #expect(try await refusal { try await store.grant(first, nil, nil) }?.code == .transactionStateInvalid)
            let second = try await store.ask(bought, .other)
            // The operator's own refund grants it.
            try await store.refund(bought)
            #expect(try await store.request(second).state == .granted)
            #expect(try await refusal { try await store.ask(bought, .other) }?.code == .transactionStateInvalid)
            let changes = try await store.serverEvents().flatMap(\.changes)
            #expect(
                changes.map(\.kind) == [.subscribed, .refundRequested, .refundDeclined, .refundRequested, .refunded])
            #expect(changes.allSatisfy { $0.subscription != nil })
            #expect(try await refusal { try await store.ask("t_unknown", .other) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund that is reversed is paid again, owned again, and final`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let bought = try await alice.bought("beaches")
            let identifier = try #require(bought.transactionIdentifier)
            try await alice.finish(bought.id)
            #expect(try await refusal { try await store.reverse(bought.id) }?.code == .transactionStateInvalid)
            try await store.refund(bought.id)
            #expect(try await store.item(identifier)?.revocationType == .refundFull)
            let reversed = try await store.reverse(identifier)
            #expect(reversed.revocationDate == nil)
            #expect(reversed.revocationType == nil)
            #expect(try await store.reverse(bought.id) == reversed)
            try await store.settleRefunds()
            let refunds = try await store.refunds()
            #expect(refunds.map(\.amount) == [.usd("1.99")])
            #expect(refunds.allSatisfy { $0.reversedAt != nil })
            // Owned: it is given again for nothing.
            let copy = try await alice.bought("beaches", key: "again")
            #expect(copy.originalTransactionIdentifier == identifier)
            #expect(try await refusal { try await store.refund(bought.id) }?.code == .transactionStateInvalid)
            try await store.revoke(bought.id)
            #expect(try await refusal { try await store.reverse(bought.id) }?.code == .transactionStateInvalid)
            #expect(
                try await store.notified() == [
                    "2027-03-01 ONE_TIME_CHARGE beaches", "2027-03-01 REFUND beaches",
                    "2027-03-01 REFUND_REVERSED beaches", "2027-03-01 REVOKE beaches",
                ])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a reversal that a process has left behind is sent by the sweep`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let bought = try await alice.bought("coins")
            try await store.refund(bought.id)
            try await store.settleRefunds()
            #expect(try await store.refunds().map { $0.reversedAt != nil } == [false])
            try await store.database.write { transaction in
                try await transaction.send(RefundRepository.reverse(StoredRefund.key(of: bought.id)))
            }
            try await store.settleRefunds()
            #expect(try await store.refunds().map { $0.reversedAt != nil } == [true])
        }
    }

    // MARK: appAccountToken

    @Test(arguments: Engine.allCases)
    func `a token goes to the original, its renewals and its copies, and to later renewals`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            let other = try await alice.bought("coins")
            try await store.jump(to: "2027-05-02")
            let token = "7a0c6b0e-1111-4222-8333-444455556666"
            try await store.setToken(token, of: original)
            try await store.jump(to: "2027-06-02")
            let items = try await alice.receipt().items
            #expect(items.filter { $0.originalTransactionIdentifier == original }.count == 4)
            for item in items {
                #expect(item.appAccountToken == (item.originalTransactionIdentifier == original ? token : nil))
            }
            #expect(try #require(other.transactionIdentifier) != original)
            let renewal = try #require(items.last { $0.originalTransactionIdentifier == original })
            #expect(
                try await refusal { try await store.setToken(token, of: renewal.transactionIdentifier) }?.code
                    == .requestInvalid)
            #expect(try await refusal { try await store.setToken(token, of: "2999999999999999") }?.code == .notFound)
        }
    }
}

extension TestStore {
    fileprivate func ask(_ id: String, _ reason: ConsumptionRequestReason) async throws -> CustomerRefundRequest {
        try await caller.call(ServerAPIEndpoints.openRefundRequest, OpenRefundRequest(.outside(id), reason: reason))
    }

    fileprivate func request(_ known: CustomerRefundRequest) async throws -> CustomerRefundRequest {
        try await caller.call(ServerAPIEndpoints.getRefundRequest, .outside(known.refundRequestIdentifier))
    }

    fileprivate func waiting(
        of bundleId: String = Catalogue.bundleId, after: String? = nil, limit: Int = 100
    ) async throws -> RefundRequestsPage {
        try await caller.call(
            ServerAPIEndpoints.listRefundRequests,
            RefundRequestsRequest(bundleId: bundleId, after: after, limit: limit))
    }

    fileprivate func grant(
        _ known: CustomerRefundRequest, _ type: RevocationType?, _ percentage: Int?
    ) async throws -> CustomerRefundRequest {
        try await caller.call(
            ServerAPIEndpoints.grantRefundRequest,
            GrantRefundRequest(.outside(known.refundRequestIdentifier), type: type, percentage: percentage))
    }

    fileprivate func decline(_ known: CustomerRefundRequest) async throws -> CustomerRefundRequest {
        try await caller.call(ServerAPIEndpoints.declineRefundRequest, .outside(known.refundRequestIdentifier))
    }

    fileprivate func reverse(_ id: String, within time: Duration = .seconds(5)) async throws -> PaymentTransaction {
        try await caller.call(
            ServerAPIEndpoints.reverseRefund, RefundRequest(.outside(id)), context: CallContext(deadline: .now + time))
    }

    fileprivate func item(_ identifier: String) async throws -> ReceiptItem? {
        try await caller.call(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: Catalogue.bundleId, identifier: identifier)
        ).transaction?.item
    }

    fileprivate func setToken(_ token: String, of original: String) async throws {
        _ = try await caller.call(
            ServerAPIEndpoints.setAppAccountToken,
            SetAppAccountTokenRequest(
                bundleId: Catalogue.bundleId, originalTransactionIdentifier: original, appAccountToken: token))
    }
}
