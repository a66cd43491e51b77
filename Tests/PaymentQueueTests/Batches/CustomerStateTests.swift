import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: a command about a customer is decided from the customer's state alone, and changes that state or nothing.
@Suite struct CustomerStateTests {
    /// Everything that a command may change, except the payments' contents.
    private static func position(of batch: SampleCustomer) -> [Int64] {
        let state = batch.state
        return [
            state.headSeq, state.modifiedSeq, Int64(batch.unfinished), Int64(batch.paidCount),
            batch.changes.isEmpty ? 0 : 1,
        ]
    }

    @Test func `P2: a sale has both revisions in the journal, a number, and a charge of its own`() throws {
        let batch = SampleCustomer(BatchSample.state(headSeq: 7, modifiedSeq: 3), unfinished: 0)
        let command = try BatchSample.command(key: "k", quantity: 3)
        let stored = try #require(try batch.begin(command).stored)
        #expect(stored.id == command.authorization?.id && stored.customer == command.customer)
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
            written.append(try #require(try batch.begin(BatchSample.command(key: "\(key)")).stored))
        }
        #expect(written.map(\.transaction.transactionIdentifier) == (1_001...1_005).map { "\($0)" })
        #expect(written.map(\.createdSeq) == [11, 13, 15, 17, 19])
        #expect(written.map(\.historySeq) == [12, 14, 16, 18, 20])
        #expect(written.map(\.modifiedSeq) == [6, 7, 8, 9, 10])
        #expect(Set(written.map(\.id)).count == 5)
    }

    @Test func `P5: a declined charge is a failed purchase, which takes no number and no place`() throws {
        let batch = SampleCustomer(BatchSample.state(headSeq: 2, modifiedSeq: 1), unfinished: 1)
        let failed = try #require(try batch.begin(BatchSample.command(key: "a", outcome: .declined)).stored)
        #expect(failed.transaction.transactionState == .failed && failed.phase == .settled)
        #expect(failed.transaction.error?.setting == "processor")
        #expect(failed.transaction.error?.localizedDescription == "No money.")
        #expect(failed.transaction.transactionIdentifier == nil && failed.transaction.price == nil)
        #expect(failed.historySeq == nil && failed.modifiedSeq == nil)
        #expect(batch.published.map(\.seq) == [3, 4])
        #expect(Self.position(of: batch) == [4, 1, 1, 1, 1])
        let next = try #require(try batch.begin(BatchSample.command(key: "b")).stored)
        #expect(next.transaction.transactionIdentifier == "1001" && next.modifiedSeq == 2)
    }

    @Test func `P3: a key is one purchase, also within a batch, and both have the same reply`() throws {
        for outcome in [Charge.Outcome.authorized, .declined] {
            let batch = SampleCustomer(BatchSample.state(), unfinished: 0)
            let first = try #require(try batch.begin(BatchSample.command(key: "k", outcome: outcome)).stored)
            let before = Self.position(of: batch)
            // Whatever is asked for with it.
            for again in [
                try BatchSample.command(key: "k"), try BatchSample.command(key: "k", outcome: .declined),
                try BatchSample.command(key: "k", quantity: 2), try BatchSample.command(key: "k", in: "FRA"),
            ] {
                let known = try #require(try batch.begin(again).existing)
                #expect(known.transactionID == first.id)
                #expect(known.reply?.transaction == first.transaction)
                #expect(known.reply?.status == 201 && known.reply?.isReplayed == true)
                #expect(known.fingerprint == RequestFingerprint.of(first.transaction.payment))
            }
            #expect(Self.position(of: batch) == before)
            #expect(try batch.begin(BatchSample.command(key: "K")).stored != nil)
        }
    }

    @Test func `P3: a key of an earlier batch is answered with its purchase, ended or not`() throws {
        let earlier = SampleCustomer(BatchSample.state())
        let ended = try #require(try earlier.begin(BatchSample.command(key: "ended")).stored)
        let paid = [
            "k": StoredPayment(fingerprint: "f", transactionID: "t_1", reply: nil),
            "ended": try #require(earlier.state.payments[ExactText("ended")]),
        ]
        let batch = SampleCustomer(BatchSample.state(storefront: "FRA"), paid: paid)
        let before = Self.position(of: batch)
        for (key, payment) in paid { #expect(try batch.begin(BatchSample.command(key: key)).existing == payment) }
        #expect(paid["ended"]?.reply?.transaction == ended.transaction)
        #expect(Self.position(of: batch) == before && !batch.state.hasChanged)
    }

    @Test func `keys are bytes, not what Unicode calls equal`() throws {
        let batch = SampleCustomer(BatchSample.state())
        for key in ["\u{e9}", "e\u{301}"] {
            #expect(try batch.begin(BatchSample.command(key: key)).stored != nil)
            #expect(try batch.begin(BatchSample.command(key: key)).existing != nil)
        }
    }

    @Test func `a customer in another storefront than the quote's is told where, and buys nothing`() throws {
        let batch = SampleCustomer(BatchSample.state(storefront: "FRA"), unfinished: 0)
        let before = Self.position(of: batch)
        #expect(try batch.begin(BatchSample.command(key: "k")).storefront == "FRA")
        #expect(Self.position(of: batch) == before && !batch.state.hasChanged)
        let bought = try #require(try batch.begin(BatchSample.command(key: "k", in: "FRA")).stored)
        #expect(bought.transaction.transactionIdentifier == "1001")
    }

    /// Settings under which a shopper is not charged at once, or not for real, with the state of the purchase.
    private static let asking: [(settings: TesterSettings, state: TransactionState)] = [
        (TesterSettings(askToBuy: true), .deferred), (TesterSettings(interruptPurchases: true), .failed),
        (TesterSettings(signIn: .interactive), .purchasing), (TesterSettings(signIn: .fails), .failed),
        (TesterSettings(signIn: .cancelled), .failed), (TesterSettings(sheet: .interactive), .purchasing),
        (TesterSettings(sheet: .cancel), .failed), (TesterSettings(sheet: .decline(.unknown)), .failed),
        (TesterSettings(canMakePayments: false), .failed),
        (TesterSettings(simulatedErrors: .init(purchase: "generic")), .failed),
        (TesterSettings(processor: .decline), .purchasing), (TesterSettings(processor: .approve), .purchasing),
    ]

    @Test(arguments: asking) func `P5: a purchase under a tester's settings begins without its authorization`(
        _ asking: (settings: TesterSettings, state: TransactionState)
    ) throws {
        let settings = asking.settings
        for (own, defaults) in [(settings, nil), (TesterSettings(), settings)] as [(TesterSettings, TesterSettings?)] {
            let batch = SampleCustomer(BatchSample.state(settings: own), unfinished: 0)
            let quote = BatchSample.quote(defaults: defaults)
            for outcome in [Charge.Outcome.authorized, .declined] {
                let command = try BatchSample.command(key: "\(outcome)", quote: quote, outcome: outcome)
                let begun = try #require(try batch.begin(command).begun)
                #expect(begun.id == command.purchase.id)
                #expect(begun.transaction.transactionState == asking.state)
                #expect(begun.transaction.transactionIdentifier == nil)
                #expect(batch.published.count == (asking.state == .purchasing ? 1 : 2))
                #expect(try batch.begin(command).existing?.transactionID == begun.id)
            }
            let rows: Int64 = asking.state == .purchasing ? 2 : 4
            #expect(Self.position(of: batch) == [rows, 0, 0, 2, 1])
        }
    }

    @Test func `an account's own settings come before the app's`() throws {
        let batch = SampleCustomer(BatchSample.state(settings: TesterSettings(askToBuy: false, sheet: .approve)))
        let quote = BatchSample.quote(defaults: TesterSettings(askToBuy: true, sheet: .interactive))
        #expect(try batch.begin(BatchSample.command(key: "k", quote: quote)).stored != nil)
    }

    @Test func `P6: a charge of another amount than the price is not used, and the purchase is charged later`() throws {
        let batch = SampleCustomer(BatchSample.state())
        for (quantity, authorized) in [(1, "0.98"), (1, "1.00"), (2, "0.99"), (1, "1.98")] {
            let key = "\(quantity) at \(authorized)"
            let command = try BatchSample.command(key: key, quantity: quantity, authorized: .usd(authorized))
            let outcome = try batch.begin(command)
            let begun = try #require(outcome.begun)
            #expect(outcome.isInProgress && begun.phase == .charging && begun.id == command.purchase.id)
            #expect(begun.terms?.amount == .usd(quantity == 1 ? "0.99" : "1.98"))
            #expect(batch.payment(key) == StoredPayment(fingerprint: command.fingerprint, transactionID: begun.id))
        }
        #expect(Self.position(of: batch) == [4, 0, 0, 4, 1])
    }

    @Test func `a purchase that is not authorized is charged after the commit, and takes no number`() throws {
        let batch = SampleCustomer(BatchSample.state())
        let command = try BatchSample.command(key: "1", outcome: nil)
        let begun = try #require(try batch.begin(command).begun)
        #expect(begun.phase == .charging && begun.id == command.purchase.id)
        #expect(begun.transaction.price == .usd("0.99"))
        let next = try #require(try batch.begin(BatchSample.command(key: "2")).stored)
        #expect(next.transaction.transactionIdentifier == "1001" && next.createdSeq == 2)
    }

    @Test func `a free product is sold without an authorization, and with one under its own identifier`() throws {
        let quote = BatchSample.quote(.product("gift", .consumable, "0.00"))
        for authorized in [nil, Money.usd("0.99")] {
            let batch = SampleCustomer(BatchSample.state())
            let command = try BatchSample.command(
                key: "k", quote: quote, outcome: authorized == nil ? nil : .declined, authorized: authorized)
            let stored = try #require(try batch.begin(command).stored)
            #expect(stored.id == command.purchase.id && stored.transaction.transactionState == .purchased)
            #expect(stored.transaction.price == .usd("0.00"))
            #expect(Self.position(of: batch) == [2, 1, 1, 1, 1])
        }
    }

    @Test func `what is not for sale has failed, and does not use its authorization`() throws {
        let batch = SampleCustomer(BatchSample.state())
        for availability in [Quote.Availability.notForSale, .unknown] {
            let command = try BatchSample.command(
                key: availability.rawValue, quote: BatchSample.quote(availability: availability))
            let failed = try #require(try batch.begin(command).stored)
            #expect(failed.transaction.transactionState == .failed && failed.id == command.purchase.id)
        }
        #expect(Self.position(of: batch) == [4, 0, 0, 2, 1])
    }

    @Test func `O1, P8: offers and products that a customer has once are sold at their authorized price`() throws {
        let offered = Product.subscription("basic", intro: .discount(.payUpFront, "1.99", 2, .month))
        let sales: [(product: Product, authorized: Money?)] = [
            (.product("beaches", .nonConsumable, "0.99"), nil), (.subscription("pro"), nil),
            (.product("season", .nonRenewable, "4.99"), nil), (offered, .usd("1.99")),
        ]
        for (product, authorized) in sales {
            for outcome in [Charge.Outcome.authorized, .declined] {
                let batch = SampleCustomer(BatchSample.state(), unfinished: 0)
                let command = try BatchSample.command(
                    key: "k", quote: BatchSample.quote(product), outcome: outcome, authorized: authorized)
                let stored = try #require(try batch.begin(command).stored)
                let isSold = outcome == .authorized
                #expect(stored.id == command.authorization?.id)
                #expect(stored.transaction.transactionState == (isSold ? .purchased : .failed))
                #expect(stored.transaction.price == (isSold ? authorized ?? product.price : nil))
                #expect(Self.position(of: batch) == [2, isSold ? 1 : 0, isSold ? 1 : 0, 1, 1])
            }
        }
        // A guess at the regular price.
        let batch = SampleCustomer(BatchSample.state())
        let command = try BatchSample.command(key: "k", quote: BatchSample.quote(offered))
        let begun = try #require(try batch.begin(command).begun)
        #expect(begun.phase == .charging && begun.id == command.purchase.id && begun.terms?.amount == .usd("1.99"))
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
        let outcomes = try commands.map { try batch.begin($0) }
        #expect(
            outcomes.map(PurchaseModel.Outcome.init) == [
                .purchased, .purchased, .failed, .existing, .purchased, .failed, .failed, .purchased,
            ])
        // The charges of the last two are not used.
        let reasons = outcomes.map { $0.stored?.transaction.error?.reason }
        let full = "unfinishedTransactions"
        #expect(reasons == [nil, nil, nil, nil, nil, full, full, nil])
        #expect(batch.unfinished == 5)
    }

    @Test func `the app's clock dates a purchase`() throws {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        let frozen = AppClock.started(at: BatchSample.wall).set(now: now, frozen: true, wall: BatchSample.wall)
        let batch = SampleCustomer(BatchSample.state(clock: frozen))
        let bought = try #require(try batch.begin(BatchSample.command(key: "k")).stored)
        #expect(bought.transaction.transactionDate == now)
    }
}

extension PurchaseCommand {
    fileprivate var fingerprint: String { RequestFingerprint.of(purchase.payment) }
}
