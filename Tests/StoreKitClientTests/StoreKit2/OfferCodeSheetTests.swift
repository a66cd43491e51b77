import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: the sheet for offer codes redeems what the customer enters, returns or delivers the transaction, and counts as
/// dismissed when nothing is redeemed.
@Suite struct OfferCodeSheetTests {
    private final class Anchor: Sendable {}

    private func shop(
        _ entered: String?, _ answers: [FakeAnswer], log: LockedValue<[String]> = LockedValue([])
    ) throws -> FakeShop {
        let shop = try FakeShop { connection, _ in
            connection.enterOfferCode = { entered }
            connection.log = { sentence in log.withLock { $0.append(sentence) } }
        }
        shop.gateway.on("POST /v1/codes/*/redeem", answers)
        return shop
    }

    private func redeemed(_ shop: FakeShop) async throws -> UInt64 {
        try await shop.run { try await AppStore.presentOfferCodeRedeemSheet(from: Anchor()).id }
    }

    /// The error of the form that returns a transaction, and what was logged.
    private func refused(_ entered: String?, _ answers: [FakeAnswer]) async throws -> (error: String, log: String) {
        let log = LockedValue<[String]>([])
        let shop = try shop(entered, answers, log: log)
        do {
            return ("\(try await redeemed(shop))", "")
        } catch {
            return ("\(type(of: error)).\(error)", log.withLock { $0.joined(separator: "; ") })
        }
    }

    @Test func `the newest form returns the transaction, which is no update`() async throws {
        let shop = try shop("SPRING26", [FakeShop.outcome(.purchased, signedTransaction(1))])
        let updates = await shop.run { shop.collect(Transaction.updates) }
        #expect(try await redeemed(shop) == 1)
        let request = try #require(shop.gateway.requests("POST /v1/codes/SPRING26/redeem").first)
        let key = try #require(request.key)
        shop.tell(signedTransaction(1), .purchase, key: key)
        shop.tell(signedTransaction(2), .outside)
        try await eventually("only the other one is an update") { updates.seen.withLock { $0.map(\.id) } == [2] }
        updates.task.cancel()
    }

    @Test func `an older form delivers the transaction as an update`() async throws {
        let shop = try shop("SPRING26", [FakeShop.outcome(.purchased, signedTransaction(1))])
        let updates = await shop.run { shop.collect(Transaction.updates) }
        try await shop.run { try await AppStore.presentOfferCodeRedeemSheet(in: Anchor()) }
        let key = try #require(shop.gateway.requests("POST /v1/codes/SPRING26/redeem").first?.key)
        shop.tell(signedTransaction(1), .purchase, key: key)
        try await eventually("it is an update") { updates.seen.withLock { $0.map(\.id) } == [1] }
        updates.task.cancel()
    }

    @Test func `the queue's sheet redeems the code`() async throws {
        let shop = try shop("SPRING26", [FakeShop.outcome(.purchased, signedTransaction(1))])
        shop.queue.presentCodeRedemptionSheet()
        try await eventually("it is redeemed") {
            shop.gateway.requests("POST /v1/codes/SPRING26/redeem").count == 1
        }
    }

    @Test func `a lost answer is asked for with the same key`() async throws {
        let shop = try shop("SPRING26", [.drop, FakeShop.outcome(.purchased, signedTransaction(1))])
        #expect(try await redeemed(shop) == 1)
        let keys = shop.gateway.requests("POST /v1/codes/SPRING26/redeem").map(\.key)
        #expect(keys.count == 2 && Set(keys).count == 1)
    }

    @Test(arguments: [StoreErrorCode.notFound, .codeSpent, .codeExpired, .codeRedeemed, .codeIneligible])
    func `a refused code dismisses the sheet, and the log has the store's reason`(_ code: StoreErrorCode) async throws {
        let refusal = FakeAnswer.problem(code, "the store's reason")
        let (error, log) = try await refused("SPRING26", [refusal])
        #expect(error == "StoreKitError.userCancelled")
        #expect(log.contains("the store's reason"))
        let older = try shop("SPRING26", [refusal])
        try await older.run { try await AppStore.presentOfferCodeRedeemSheet(in: Anchor()) }
    }

    @Test func `a customer who enters no code dismisses the sheet`() async throws {
        for entered in [nil, ""] {
            let (error, log) = try await refused(entered, [])
            #expect(error == "StoreKitError.userCancelled")
            #expect(log == "")
        }
    }

    @Test func `a question to a parent returns no transaction, and a failed purchase is an error`() async throws {
        #expect(try await refused("A", [FakeShop.outcome(.pending)]).error == "StoreKitError.userCancelled")
        let failure = FakeShop.outcome(.failed, error: TransactionError(.paymentNotAllowed, "no"))
        #expect(try await refused("A", [failure]).error.hasPrefix("StoreKitError.systemError"))
        let log = LockedValue<[String]>([])
        let older = try shop("A", [failure], log: log)
        try await older.run { try await AppStore.presentOfferCodeRedeemSheet(in: Anchor()) }
        let lines = log.withLock { $0 }
        #expect(lines.contains("the offer code was not redeemed: no"))
    }
}
