import FoundationEssentials
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: O1 and O2. Method: two payment queues on one PostgreSQL database; in each round a new customer buys two
/// products of a group at once, and both queues race for the one offer. `STOREBUS_RACE_ROUNDS` says how many rounds, 25
/// by default.
@Suite(.serialized) struct OfferRaceTests {
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["STOREBUS_RACE_ROUNDS"].flatMap { Int($0) } ?? 25
    }
    private static let products = ["pro.monthly", "pro.yearly", "basic.monthly"]
    /// Rounds under way at once.
    private static let concurrency = 8

    /// What came of a round.
    private struct Round: Sendable {
        /// Transactions that were sold at an introductory offer.
        var offers: Int
        /// The summary, asked after both answers, knows of the one that was.
        var isSeen: Bool
    }

    private struct Tally {
        var offers = 0
        var doubled = 0
        var late = 0

        mutating func note(_ round: Round) {
            offers += round.offers > 0 ? 1 : 0
            doubled += round.offers > 1 ? 1 : 0
            late += round.isSeen ? 0 : 1
        }
    }

    @Test func `O1, O2: two products of a group bought at once over two replicas have one offer`() async throws {
        var random = SplitMix64.seeded()
        let pairs = (0..<Self.rounds).map { _ in Array(Self.products.shuffled(using: &random).prefix(2)) }
        var seen = Tally()
        try await TestStore.with(.postgres) { store in
            _ = try await store.startReplica()
            try await withThrowingTaskGroup(of: Round.self) { group in
                for (round, pair) in pairs.enumerated() {
                    if round >= Self.concurrency, let ended = try await group.next() { seen.note(ended) }
                    group.addTask { try await Self.race(round, pair, in: store) }
                }
                for try await ended in group { seen.note(ended) }
            }
        }
        print("\(Self.rounds) rounds: \(seen.offers) offers, \(seen.doubled) doubled")
        #expect(seen.offers == Self.rounds)
        #expect(seen.doubled == 0)
        #expect(seen.late == 0, "an answer came after the purchase and did not know of it")
    }

    private static func race(
        _ round: Int, _ products: [String], in store: TestStore
    ) async throws -> Round {
        let customerApp = try await store.customerApp("racer-\(round)", device: "d\(round)")
        let bought = try await withThrowingTaskGroup { group in
            for product in products {
                group.addTask { try await customerApp.add(product, key: product, within: .seconds(30)).transaction }
            }
            return try await group.reduce(into: [PaymentTransaction]()) { $0.append($1) }
        }
        #expect(bought.allSatisfy { $0.transactionState == .purchased })
        let introductory = bought.filter { $0.offer?.type == .introductory }
        let summary = try await customerApp.offers().first
        return Round(
            offers: introductory.count,
            isSeen: summary?.introductoryOfferTransaction == introductory.first?.transactionIdentifier)
    }

    @Test func `O4: over two replicas a declined purchase gives its offer back`() async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await store.startReplica()
            store.processor.set(outcome: .declined)
            for round in 0..<5 {
                let customerApp = try await store.customerApp("declined-\(round)", device: "d\(round)")
                async let first = customerApp.add("pro.yearly", key: "1", within: .seconds(20))
                async let second = customerApp.add("basic.monthly", key: "2", within: .seconds(20))
                let failed = try await [first, second].map(\.transaction)
                #expect(failed.allSatisfy { $0.transactionState == .failed })
                #expect(try await customerApp.offers().isEmpty)
            }
            store.processor.set(outcome: .approved)
            let customerApp = try await store.customerApp("declined-0", device: "d0")
            #expect(try await customerApp.add("pro.yearly", key: "3").transaction.offer?.type == .introductory)
        }
    }
}
