import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

/// Goal: an app written against StoreKit's names sells a subscription with an offer, as its documents tell: it shows
/// the offer to eligible customers, observes renewals and what a refund took, and sends its receipt to its server.
/// Method: `StoreKitClient` against `storebus up`; the app's clock is moved.
@Suite(.process) struct SubscriptionAppTests {
    private let monthly = "com.example.pro.monthly"
    private let yearly = "com.example.pro.yearly"

    @Test func `M116, M130, M132, M133: a trial is shown, bought, renewed at the regular price, and offered no more`()
        async throws
    {
        try await StoreStack.run { store in
            let app = try StoreKitClientWitness(store, account: "alice", device: "phone")
            let product = try await app.product(monthly)
            #expect(product.isEligibleForIntroOffer == true)
            #expect(product.introductoryPrice?.paymentMode == .freeTrial)
            #expect(product.introductoryPrice?.offerText == "free for 1 week")

            app.launch()
            let trial = try await app.buy(product)
            // M119, M121: the group's offer is used; M130: it is on its products all the same.
            for identifier in [monthly, yearly] {
                let product = try await app.product(identifier)
                #expect(product.isEligibleForIntroOffer == false)
                #expect(product.introductoryPrice != nil)
            }

            let before = app.transactions.count
            try await advance("P8D", in: store)
            let renewal = try await app.next(.purchased, after: before)
            #expect(renewal != trial)
            #expect(renewal.original?.transactionIdentifier == trial.transactionIdentifier)
            #expect(renewal.original?.transactionDate == trial.transactionDate)
            let week = try #require(renewal.transactionDate).timeIntervalSince(try #require(trial.transactionDate))
            #expect(week == 7 * 86_400)
            #expect(try await Ledger.charges(of: store).compactMap { $0.amount?.minorUnits } == [999])
            for transaction in [trial, renewal] { try await app.finish(transaction) }
            #expect(app.queue.transactions.isEmpty)
        }
    }

    @Test func `M120, M128, M139: the receipt has nothing, then the trial, then its refund; each device is notified`()
        async throws
    {
        try await StoreStack.run { store in
            let files = try TemporaryDirectory()
            let phone = try StoreKitClientWitness(store, account: "alice", device: "phone", contents: files)
            let tablet = try StoreKitClientWitness(store, account: "alice", device: "tablet")
            for device in [phone, tablet] { device.launch() }
            let empty = try await inApp(try await phone.refreshReceipt(), store)
            #expect(empty.isEmpty)

            let trial = try await phone.buy(try await phone.product(monthly))
            try await eventually("the tablet is told", within: .seconds(20)) {
                tablet.transactions.contains { $0.transactionIdentifier == trial.transactionIdentifier }
            }
            tablet.quit()
            try await refund(trial, in: store)
            try await eventually("the phone is told", within: .seconds(20)) { phone.revoked == [[monthly]] }
            #expect(tablet.revoked.isEmpty)
            tablet.launch()
            try await eventually("the next launch is told", within: .seconds(20)) { tablet.revoked == [[monthly]] }

            let purchase = try #require(try await inApp(try await phone.refreshReceipt(), store).first)
            #expect(purchase["transaction_id"]?.stringValue == trial.transactionIdentifier)
            #expect(purchase["is_trial_period"] == "true")
            #expect(purchase["cancellation_date_ms"] != nil)
            #expect(try await phone.product(monthly).isEligibleForIntroOffer == false)
        }
    }

    private func advance(_ duration: String, in store: StoreStack) async throws {
        try await eventually("\(duration) have passed", within: .seconds(60)) {
            let answer = try await store.request(
                .POST, "/admin/v1/apps/com.example.app/clock/advance", token: store.adminKey,
                headers: ["idempotency-key": "advance-\(duration)"], body: Array(#"{"by":"\#(duration)"}"#.utf8))
            guard [200, 202].contains(answer.status) else {
                throw StackError("advance: \(answer.status) \(answer.text)")
            }
            return answer.status == 200
        }
    }

    private func refund(_ transaction: SKPaymentTransaction, in store: StoreStack) async throws {
        let listed = try await store.request(.GET, "/admin/v1/transactions?account=alice", token: store.adminKey)
        let page: ScenarioCustomer.TransactionsAnswer = try listed.decoded()
        let found = try #require(
            page.transactions.first { $0.transactionIdentifier == transaction.transactionIdentifier })
        let answer = try await store.request(
            .POST, "/admin/v1/transactions/\(found.id)/refund", token: store.adminKey)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// The purchases of a receipt, as the app's server gets them.
    private func inApp(_ receipt: Data, _ store: StoreStack) async throws -> [JSONValue] {
        let body = try StoreJSON.encode(["receipt-data": receipt.base64EncodedString()])
        let answer = try await store.request(.POST, "/verifyReceipt", body: body).decoded(as: JSONValue.self)
        #expect(answer["status"]?.intValue == 0)
        return try #require(answer["receipt"]?["in_app"]?.arrayValue)
    }
}
