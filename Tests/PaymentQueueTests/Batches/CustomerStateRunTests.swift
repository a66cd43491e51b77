import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: any commands in any batches leave customers as a simple model of the rules says (P2, P3, P5, M52).
/// Method: a seeded run of random commands over a few customers, without a database. Between the batches the customers
/// are rows, as a database would keep them.
@Suite struct CustomerStateRunTests {
    private struct Shopper {
        let id: CustomerReference
        var model = PurchaseModel()
        var payments: [String: StoredPayment] = [:]
        /// The seqs of the journal's rows.
        var journal: [Int64] = []
        var transactions: [StoredTransaction] = []
    }

    private static let limit = 5

    @Test(arguments: 0..<4) func `P2, P3, P5, M52: a run of random commands goes as the model says`(
        _ round: Int
    ) throws {
        var random = SplitMix64.seeded("customer states \(round)")
        let isolated = IsolatedApp(shownBundleId: BatchSample.bundleId, number: 7, seed: 42).bundleId
        var shoppers = [
            Shopper(id: BatchSample.customer("alice")), Shopper(id: BatchSample.customer("bob")),
            Shopper(id: BatchSample.customer("carol", of: isolated)),
        ]
        // The next number of the installation, and of the isolated store.
        var next: [String: Int64] = [BatchSample.bundleId: 1_001, isolated: 501]
        var given: [String: [Int64]] = [:]
        for _ in 0..<120 {
            let place = Int.random(in: shoppers.indices, using: &random)
            let app = shoppers[place].id.bundleId
            let commands = try (0..<Int.random(in: 1...16, using: &random)).map { _ in
                try command(of: shoppers[place].id, &random)
            }
            let numbers = try run(commands, on: &shoppers[place], numbersFrom: next[app, default: 0])
            given[app, default: []] += numbers
            // The numbers that a batch does not need are given back.
            next[app, default: 0] += Int64(numbers.count)
            shoppers[place].model.unfinished -= Int.random(
                in: 0...shoppers[place].model.unfinished, using: &random)
        }
        for shopper in shoppers { check(shopper) }
        for (app, first) in [(BatchSample.bundleId, 1_001), (isolated, 501)] as [(String, Int64)] {
            let numbers = given[app, default: []]
            #expect(numbers == [Int64](first..<first + Int64(numbers.count)))
        }
        let all = shoppers.flatMap(\.transactions)
        #expect(Set(all.map(\.id)).count == all.count)
    }

    private struct Command {
        var command: PurchaseCommand
        var key: String
        var isHere: Bool
        var asks: Bool
        var isAgreed: Bool
        var outcome: Charge.Outcome
        var limit: Int?
    }

    /// A command that may be anything, mostly a sale.
    private func command(of customer: CustomerReference, _ random: inout SplitMix64) throws -> Command {
        let key = "k\(Int.random(in: 0..<400, using: &random))"
        let isHere = Int.random(in: 0..<10, using: &random) > 0
        let isAgreed = Int.random(in: 0..<8, using: &random) > 0
        let outcome: Charge.Outcome = Int.random(in: 0..<5, using: &random) > 0 ? .authorized : .declined
        let limit = Bool.random(using: &random) ? Self.limit : nil
        let quantity = Int.random(in: 1...3, using: &random)
        let asks = !isAgreed && Bool.random(using: &random)
        let quote = BatchSample.quote(limit: limit, defaults: asks ? TesterSettings(askToBuy: true) : nil)
        let command = try BatchSample.command(
            customer, key: key, quote: quote, quantity: quantity, outcome: outcome,
            authorized: isAgreed || asks ? nil : .usd("0.01"), in: isHere ? "USA" : "FRA")
        return Command(
            command: command, key: key, isHere: isHere, asks: asks, isAgreed: isAgreed, outcome: outcome, limit: limit)
    }

    /// Handles the commands as one batch.
    /// - Returns: The numbers of the purchased transactions.
    private func run(
        _ commands: [Command], on shopper: inout Shopper, numbersFrom first: Int64
    ) throws -> [Int64] {
        let batch = SampleCustomer(
            BatchSample.state(shopper.id, headSeq: shopper.model.head, modifiedSeq: shopper.model.purchased),
            unfinished: shopper.model.unfinished, paid: shopper.payments, numbersFrom: first, count: commands.count)
        var given: [Int64] = []
        for command in commands {
            let (head, modified) = (batch.state.headSeq, batch.state.modifiedSeq)
            let outcome = try batch.begin(command.command)
            let expected = shopper.model.handle(
                key: command.key, isHere: command.isHere, asks: command.asks, isAgreed: command.isAgreed,
                answer: command.outcome, limit: command.limit)
            #expect(PurchaseModel.Outcome(outcome) == expected)
            #expect(batch.state.headSeq == shopper.model.head && batch.state.modifiedSeq == shopper.model.purchased)
            #expect(batch.unfinished == shopper.model.unfinished)
            #expect(batch.changes.isEmpty == !batch.state.hasChanged)
            guard let stored = outcome.begun else {
                #expect(batch.state.headSeq == head && batch.state.modifiedSeq == modified)
                #expect(batch.published.isEmpty)
                #expect(outcome.existing == nil || outcome.existing == shopper.payments[command.key])
                continue
            }
            let rows = stored.transaction.transactionState == .purchasing ? 1 : 2
            let seqs = (0..<rows).map { stored.createdSeq + Int64($0) }
            #expect(batch.published.map(\.seq) == seqs)
            #expect(outcome.isInProgress == (expected == .inProgress))
            shopper.journal += batch.published.map(\.seq)
            shopper.transactions.append(stored)
            shopper.payments[command.key] = batch.payment(command.key)
            if let number = stored.transaction.transactionIdentifier.flatMap(Int64.init) { given.append(number) }
        }
        return given
    }

    private func check(_ shopper: Shopper) {
        #expect(shopper.journal == [Int64](1..<Int64(shopper.journal.count) + 1))
        #expect(Int64(shopper.journal.count) == shopper.model.head)
        let transactions = shopper.transactions
        // Each key is one transaction.
        #expect(transactions.map(\.transaction.payment.requestIdentifier).sorted() == shopper.payments.keys.sorted())
        for stored in transactions {
            #expect(shopper.payments[stored.transaction.payment.requestIdentifier]?.transactionID == stored.id)
        }
        let purchased = transactions.filter { $0.transaction.transactionState == .purchased }
        #expect(purchased.compactMap(\.modifiedSeq) == [Int64](1..<Int64(purchased.count) + 1))
        #expect(purchased.allSatisfy { $0.historySeq == $0.createdSeq + 1 })
        #expect(zip(transactions, transactions.dropFirst()).allSatisfy { $0.createdSeq < $1.createdSeq })
    }
}
