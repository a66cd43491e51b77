import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: a command about a customer is decided from the customer's state alone, and changes that state or nothing.
@Suite struct CustomerStateTests {
    /// Everything that a command may change, except the payments' contents.
    private static func position(of batch: SampleCustomer) -> [Int64] {
        let state = batch.state
        return [
            state.headSeq, state.modifiedSeq, Int64(batch.unfinished + state.boughtCount), Int64(state.payments.count),
            batch.changes.isEmpty ? 0 : 1,
        ]
    }

    @Test func `P2: a sale has both revisions in the journal, a number, and a charge of its own`() throws {
        let batch = SampleCustomer(BatchSample.state(headSeq: 7, modifiedSeq: 3), unfinished: 0)
        let command = try BatchSample.command(key: "k", quantity: 3)
        let stored = try #require(try batch.buy(command).stored)
        #expect(stored.id == command.purchase.id && stored.customer == command.customer)
        #expect(stored.transaction.transactionState == .purchased && stored.phase == .settled)
        #expect(stored.transaction.transactionIdentifier == "1001")
        #expect(stored.transaction.price == .usd("2.97"))
        #expect(stored.transaction.revision == 2)
        #expect(stored.transaction.transactionDate == BatchSample.wall)
        #expect(stored.chargeKey == "purchase:\(stored.id)")
        #expect([stored.createdSeq, stored.historySeq, stored.modifiedSeq] == [8, 9, 4])
        #expect(stored.terms?.storefront == "USA" && stored.quote == nil)
        #expect(batch.published.map(\.seq) == [8, 9])
        #expect(batch.published.map(\.kind) == [.updated, .updated])
        #expect(batch.published.map(\.transaction?.id) == [stored.id, stored.id])
        #expect(batch.woken.isEmpty)
        #expect(Self.position(of: batch) == [9, 4, 1, 1, 1])
        #expect(batch.state.hasChanged)
    }

    @Test func `numbers and places follow each other in the order of the commands`() throws {
        let batch = SampleCustomer(BatchSample.state(headSeq: 10, modifiedSeq: 5))
        var written: [StoredTransaction] = []
        for key in 0..<5 {
            written.append(try #require(try batch.buy(BatchSample.command(key: "\(key)")).stored))
        }
        #expect(written.map(\.transaction.transactionIdentifier) == (1_001...1_005).map { "\($0)" })
        #expect(written.map(\.createdSeq) == [11, 13, 15, 17, 19])
        #expect(written.map(\.historySeq) == [12, 14, 16, 18, 20])
        #expect(written.map(\.modifiedSeq) == [6, 7, 8, 9, 10])
        #expect(Set(written.map(\.id)).count == 5)
    }

    @Test func `P5: a declined charge is a failed purchase, which takes no number and no place`() throws {
        let batch = SampleCustomer(BatchSample.state(headSeq: 2, modifiedSeq: 1), unfinished: 1)
        let failed = try #require(try batch.buy(BatchSample.command(key: "a", outcome: .declined)).stored)
        #expect(failed.transaction.transactionState == .failed && failed.phase == .settled)
        #expect(failed.transaction.error?.setting == "processor")
        #expect(failed.transaction.error?.localizedDescription == "No money.")
        #expect(failed.transaction.transactionIdentifier == nil && failed.transaction.price == nil)
        #expect(failed.historySeq == nil && failed.modifiedSeq == nil)
        #expect(batch.published.map(\.seq) == [3, 4])
        #expect(Self.position(of: batch) == [4, 1, 1, 1, 1])
        let next = try #require(try batch.buy(BatchSample.command(key: "b")).stored)
        #expect(next.transaction.transactionIdentifier == "1001" && next.modifiedSeq == 2)
    }

    @Test func `P3: a key is one purchase, also within a batch, and both have the same reply`() throws {
        for outcome in [Charge.Outcome.authorized, .declined] {
            let batch = SampleCustomer(BatchSample.state(), unfinished: 0)
            let first = try #require(try batch.buy(BatchSample.command(key: "k", outcome: outcome)).stored)
            let before = Self.position(of: batch)
            // Whatever is asked for with it.
            for again in [
                try BatchSample.command(key: "k"), try BatchSample.command(key: "k", outcome: .declined),
                try BatchSample.command(key: "k", quantity: 2), try BatchSample.command(key: "k", in: "FRA"),
            ] {
                let known = try #require(try batch.buy(again).existing)
                #expect(known.transactionID == first.id)
                #expect(known.reply?.transaction == first.transaction)
                #expect(known.reply?.status == 201 && known.reply?.isReplayed == true)
                #expect(known.fingerprint == RequestFingerprint.of(first.transaction.payment))
            }
            #expect(Self.position(of: batch) == before)
            #expect(try batch.buy(BatchSample.command(key: "K")).stored != nil)
        }
    }

    @Test func `P3: a key of an earlier batch is answered with its purchase, ended or not`() throws {
        let earlier = SampleCustomer(BatchSample.state())
        let ended = try #require(try earlier.buy(BatchSample.command(key: "ended")).stored)
        let paid = [
            "k": StoredPayment(fingerprint: "f", transactionID: "t_1", reply: nil),
            "ended": try #require(earlier.state.payments[ExactText("ended")]),
        ]
        let batch = SampleCustomer(BatchSample.state(storefront: "FRA"), paid: paid)
        let before = Self.position(of: batch)
        for (key, payment) in paid { #expect(try batch.buy(BatchSample.command(key: key)).existing == payment) }
        #expect(paid["ended"]?.reply?.transaction == ended.transaction)
        #expect(Self.position(of: batch) == before && !batch.state.hasChanged)
    }

    @Test func `keys are bytes, not what Unicode calls equal`() throws {
        let batch = SampleCustomer(BatchSample.state())
        for key in ["\u{e9}", "e\u{301}"] {
            #expect(try batch.buy(BatchSample.command(key: key)).stored != nil)
            #expect(try batch.buy(BatchSample.command(key: key)).existing != nil)
        }
    }

    @Test func `a customer in another storefront than the quote's is told where, and buys nothing`() throws {
        let batch = SampleCustomer(BatchSample.state(storefront: "FRA"), unfinished: 0)
        let before = Self.position(of: batch)
        #expect(try batch.buy(BatchSample.command(key: "k")).storefront == "FRA")
        #expect(Self.position(of: batch) == before && !batch.state.hasChanged)
        let bought = try #require(try batch.buy(BatchSample.command(key: "k", in: "FRA")).stored)
        #expect(bought.transaction.transactionIdentifier == "1001")
    }

    /// Settings under which a shopper is not charged at once, or not for real.
    private static let asking: [TesterSettings] = [
        TesterSettings(askToBuy: true), TesterSettings(interruptPurchases: true),
        TesterSettings(signIn: .interactive), TesterSettings(signIn: .fails), TesterSettings(signIn: .cancelled),
        TesterSettings(sheet: .interactive), TesterSettings(sheet: .cancel), TesterSettings(sheet: .decline(.unknown)),
        TesterSettings(canMakePayments: false), TesterSettings(simulatedErrors: .init(purchase: "generic")),
        TesterSettings(processor: .decline), TesterSettings(processor: .approve),
    ]

    @Test(arguments: asking) func `what a tester's settings do not sell plainly is left to a first commit`(
        _ settings: TesterSettings
    ) throws {
        for (own, defaults) in [(settings, nil), (TesterSettings(), settings)] as [(TesterSettings, TesterSettings?)] {
            let batch = SampleCustomer(BatchSample.state(settings: own), unfinished: 0)
            let before = Self.position(of: batch)
            let quote = BatchSample.quote(defaults: defaults)
            for outcome in [Charge.Outcome.authorized, .declined] {
                let command = try BatchSample.command(key: "k", quote: quote, outcome: outcome)
                #expect(try batch.buy(command).isOtherTerms)
            }
            #expect(Self.position(of: batch) == before && !batch.state.hasChanged)
        }
    }

    @Test func `an account's own settings come before the app's`() throws {
        let batch = SampleCustomer(BatchSample.state(settings: TesterSettings(askToBuy: false, sheet: .approve)))
        let quote = BatchSample.quote(defaults: TesterSettings(askToBuy: true, sheet: .interactive))
        #expect(try batch.buy(BatchSample.command(key: "k", quote: quote)).stored != nil)
    }

    @Test func `P6: a charge of another amount than the price buys nothing`() throws {
        let batch = SampleCustomer(BatchSample.state())
        for (quantity, authorized) in [(1, "0.98"), (1, "1.00"), (2, "0.99"), (1, "1.98")] {
            let command = try BatchSample.command(key: "k", quantity: quantity, authorized: .usd(authorized))
            #expect(try batch.buy(command).isOtherTerms)
        }
        #expect(!batch.state.hasChanged && batch.changes.isEmpty)
    }

    @Test func `what is not for sale, and what a customer has once, is left to a first commit`() throws {
        let batch = SampleCustomer(BatchSample.state())
        let quotes = [
            BatchSample.quote(availability: .notForSale), BatchSample.quote(availability: .unknown),
            BatchSample.quote(.product("beaches", .nonConsumable, "0.99")), BatchSample.quote(.subscription("pro")),
        ]
        for quote in quotes {
            #expect(try batch.buy(BatchSample.command(key: "k", quote: quote)).isOtherTerms)
        }
        #expect(!batch.state.hasChanged && batch.changes.isEmpty)
        let season = BatchSample.quote(.product("season", .nonRenewable, "4.99"))
        #expect(try batch.buy(BatchSample.command(key: "k", quote: season)).stored != nil)
    }

    @Test func `M52: the limit of unfinished transactions holds within a batch, and failed ones do not count`()
        throws
    {
        let batch = SampleCustomer(BatchSample.state(), unfinished: 1)
        let (limited, unlimited) = (BatchSample.quote(limit: 4), BatchSample.quote())
        let commands = [
            try BatchSample.command(key: "1", quote: limited), try BatchSample.command(key: "2", quote: unlimited),
            try BatchSample.command(key: "3", quote: limited, outcome: .declined),
            try BatchSample.command(key: "1", quote: limited), try BatchSample.command(key: "4", quote: limited),
            try BatchSample.command(key: "5", quote: limited),
            try BatchSample.command(key: "6", quote: limited, outcome: .declined),
            try BatchSample.command(key: "7", quote: unlimited),
        ]
        let outcomes = try commands.map { PurchaseModel.Outcome(try batch.buy($0)) }
        #expect(
            outcomes == [.purchased, .purchased, .failed, .existing, .purchased, .otherTerms, .otherTerms, .purchased])
        #expect(batch.unfinished + batch.state.boughtCount == 5)
    }

    @Test func `the app's clock dates a purchase`() throws {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        let frozen = AppClock.started(at: BatchSample.wall).set(now: now, frozen: true, wall: BatchSample.wall)
        let batch = SampleCustomer(BatchSample.state(clock: frozen))
        let bought = try #require(try batch.buy(BatchSample.command(key: "k")).stored)
        #expect(bought.transaction.transactionDate == now)
    }
}
