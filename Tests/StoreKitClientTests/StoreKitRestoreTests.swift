import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

@Suite struct StoreKitRestoreTests {
    private let line = "POST /v1/restore"

    private func restored(_ id: String) -> PaymentTransaction {
        var transaction = PaymentTransaction.sample(id, .restored)
        transaction.transactionIdentifier = "300001"
        transaction.original = OriginalTransaction(.sample("t0", .purchased))
        return transaction
    }

    @Test func `M26, M40, M41: restored transactions with their originals, then the end, once`() async throws {
        let shop = try ObservedQueue()
        let restored = restored("t1")
        shop.gateway.on(line) { _ in
            shop.stream.updated([restored])
            for _ in 0..<2 {
                shop.stream.send("restoreCompletedTransactionsFinished", ["restoreIdentifier": "r1"])
            }
            shop.stream.updated([.sample("t2")])
            return .json(["restoreIdentifier": "r1"], status: 202)
        }
        shop.queue.restoreCompletedTransactions(withApplicationUsername: "u-17")
        try await eventually("all is told") { shop.observer.calls.contains(.updated([.purchased])) }
        #expect(shop.observer.calls == [.updated([.restored]), .restoreFinished, .updated([.purchased])])
        let transaction = try #require(shop.observer.transactions.first)
        #expect(transaction.original?.transactionIdentifier == "200002")
        #expect(transaction.original?.transactionDate != nil)
        #expect(transaction.original?.transactionIdentifier != transaction.transactionIdentifier)
        #expect(shop.gateway.requests(line).map(\.json) == [.object(["applicationUsername": "u-17"])])
    }

    @Test func `a lost answer is asked for with the same key`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(
            line, [.drop, .problem(.outcomeUnknown), .json(["restoreIdentifier": "r1"], status: 202)])
        shop.queue.restoreCompletedTransactions()
        try await eventually("it is answered") { shop.gateway.requests(line).count == 3 }
        #expect(Set(shop.gateway.requests(line).map(\.key)).count == 1)
        #expect(shop.gateway.requests(line)[0].json == .object([:]))
    }

    @Test func `M42: a restore that failed is reported with its SKError, and what it restored stays`() async throws {
        struct Failed: Encodable {
            var restoreIdentifier = "r1"
            var error = TransactionError(.paymentCancelled, "cancelled")
        }
        let shop = try ObservedQueue()
        let restored = restored("t1")
        shop.gateway.on(line) { _ in
            shop.stream.updated([restored])
            shop.stream.send("restoreCompletedTransactionsFailedWithError", Failed())
            return .json(["restoreIdentifier": "r1"], status: 202)
        }
        shop.queue.restoreCompletedTransactions()
        try await eventually("the failure is told") { shop.observer.calls.count == 2 }
        #expect(shop.observer.calls == [.updated([.restored]), .restoreFailed(.paymentCancelled)])
        #expect(shop.queue.transactions.count == 1)
    }

    @Test func `M42: a store that refuses or cannot be reached is a failed restore`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { _ in .problem(.notImplemented) }
        shop.queue.restoreCompletedTransactions()
        try await eventually("the refusal is told") { shop.observer.calls.count == 1 }
        shop.gateway.stop()
        shop.queue.restoreCompletedTransactions()
        try await eventually("the failure is told") { shop.observer.calls.count == 2 }
        #expect(shop.observer.calls == [.restoreFailed(.unknown), .restoreFailed(.unknown)])
    }
}
