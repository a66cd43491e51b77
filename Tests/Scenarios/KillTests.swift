import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: whichever process dies while people buy, each purchase is charged once, exists once and is delivered.
/// Method: shoppers buy at the same time, each repeating its key until the outcome is known; one process is killed
/// with SIGKILL while their payments are on the way; afterwards the processor's own ledger, the history and a freshly
/// opened stream are compared. The moment of the kill is drawn from a printed seed.
@Suite(.process) struct KillTests {
    @Test(arguments: [
        "payment-queue", "payment-processor", "catalog", "eligibility", "promotion-controller", "app-store-server",
        "gateway", "broker",
    ])
    func `kill -9 during purchases: one charge, one transaction, delivered`(service: String) async throws {
        var random = SplitMix64.seeded("kill \(service)")
        let delay = Int.random(in: 5...60, using: &random)
        try await StoreStack.run { store in
            try await store.expectPurchasesSurvive("kill", after: delay) {
                let killed = try store.signal(service)
                try await store.waitForReplacement(of: service, after: killed)
            }
        }
    }

    @Test func `while app-store-server is stopped purchases go on, and one with an offer is 503 and leaves nothing`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.must(.PUT, "\(StoreStack.appPath)/notifications/endpoint", .object(["url": "listen:"]))
            let alice = try await store.session(account: "alice")
            var bought: [PaymentTransaction] = []
            try await store.without("app-store-server") {
                let refused = try await store.send(
                    .POST, "/v1/payments", token: alice.token, key: "offer", Self.paymentWithOffer)
                #expect(refused.status == 503, "\(refused.text)")
                #expect(refused.code == "serviceUnavailable", "\(refused.text)")
                #expect(try await alice.unfinished().isEmpty)
                bought.append(try await alice.buy(StoreStack.Products.pro, key: "plain"))
                // A gateway needs none for its start.
                let killed = try store.signal("gateway")
                try await store.waitForReplacement(of: "gateway", after: killed)
                bought.append(try await alice.buy(StoreStack.Products.fishing, key: "later"))
            }
            try await Self.expectNotification(.subscribed, in: store)
            #expect(bought.allSatisfy { $0.transactionState == .purchased })
            #expect(try await alice.unfinished().map(\.id).sorted() == bought.map(\.id).sorted())
            // The trial costs nothing.
            try await store.expectOneCharge(for: bought.suffix(1))
            let receipt = try await store.must(.GET, "/v1/receipt", token: alice.token)
            #expect(receipt.json?["receiptData"]?.stringValue?.isEmpty == false)
        }
    }

    /// A payment with an offer that has all parts. Only with the keys can it be said that its signature is none.
    private static let paymentWithOffer: JSONValue = .object([
        "productIdentifier": .string(StoreStack.Products.pro),
        "paymentDiscount": .object([
            "identifier": "loyal", "keyIdentifier": "KEY", "nonce": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
            "signature": "AAAA", "timestamp": 1,
        ]),
    ])

    /// Waits until the app's server gets a notification of a type, exactly one.
    private static func expectNotification(_ type: NotificationType, in store: StoreStack) async throws {
        let path = "\(StoreStack.appPath)/notifications"
        var arrived: [NotificationType] = []
        try await eventually("\(type.rawValue) arrives", within: .seconds(60)) {
            let answer = try await store.must(.POST, "\(path)/lease", .object(["max": 32, "waitMs": 500]))
            for attempt in try answer.decoded(as: LeaseNotificationsReply.self).attempts {
                let outcome: JSONValue = .object(["sendAttemptResult": "SUCCESS", "httpStatus": 200])
                try await store.must(.POST, "\(path)/attempts/\(attempt.attemptIdentifier)", outcome)
                arrived.append(attempt.notificationType)
            }
            return arrived.contains(type)
        }
        #expect(arrived.count { $0 == type } == 1)
    }
}
