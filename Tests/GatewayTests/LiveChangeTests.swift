import StoreHTTP
import StoreModels
import Testing

@testable import AppAPI
@testable import GatewayEdge

/// Goal: a stream of both forms tells StoreKit 2 of every live change, in signed form and with its cause.
@Suite struct LiveChangeTests {
    private let customer = CustomerReference(bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)

    private func change(
        _ transaction: PaymentTransaction, _ event: StoreEvent.Kind?, kind: CustomerChange.Kind = .updated,
        seq: Int64 = 1
    ) -> CustomerChange {
        CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, kind: kind,
            transaction: transaction, event: event)
    }

    private func live(_ change: CustomerChange) -> LiveChange? { LiveChange(change, for: Sample.deviceId) }

    private func outcome(
        _ id: String = "t", isHeld: Bool = false, wasDeferred: Bool = false, isRenewal: Bool = false
    ) -> SignedChanges.Outcome {
        SignedChanges.Outcome(
            id: id, isHeld: isHeld, wasDeferred: wasDeferred, isRenewal: isRenewal, signedTransaction: "jws \(id)")
    }

    private func status(_ id: String) -> SignedChanges.Status {
        SignedChanges.Status(
            groupID: "g", transactionId: id,
            status: SignedSubscriptionStatus(state: 1, signedTransaction: "t", signedRenewalInfo: "r"))
    }

    private func subscribed(_ id: String = "t") -> PaymentTransaction {
        var value = Sample.purchased(id)
        value.subscriptionGroupIdentifier = "g"
        return value
    }

    // MARK: Changes

    @Test func `purchases, and changes of finished transactions, are told; other states are not`() throws {
        #expect(live(change(Sample.purchased("t"), .purchased))?.isOfTransaction == true)
        #expect(live(change(Sample.purchased("t"), .refunded, kind: .subscriptionChanged))?.isOfTransaction == true)
        #expect(live(change(Sample.purchased("t"), nil, kind: .subscriptionChanged))?.isOfTransaction == true)
        #expect(live(change(Sample.purchased("t"), .shared, kind: .subscriptionChanged))?.isOfTransaction == true)
        for event in [StoreEvent.Kind.expired, .extended] {
            #expect(live(change(Sample.purchased("t"), event, kind: .subscriptionChanged))?.isOfTransaction == false)
        }
        #expect(live(change(Sample.purchased("t"), .finished, kind: .removed)) == nil)
        #expect(live(change(Sample.failed("t"), .failed)) == nil)
        var purchasing = Sample.purchased("t")
        purchasing.transactionState = .purchasing
        #expect(live(change(purchasing, .purchasing)) == nil)
    }

    @Test func `a subscription that is held is told to the device that wanted it, and for StoreKit 2 only`() {
        var failed = Sample.failed("t")
        failed.error = .alreadySubscribed
        #expect(live(change(failed, .failed)) == nil)
        failed.payment.returnsOutcome = true
        #expect(live(change(failed, .failed))?.isOfTransaction == true)
        failed.originDeviceId = "other"
        #expect(live(change(failed, .failed)) == nil)
    }

    @Test func `the cause of a signed transaction`() throws {
        var outside = Sample.purchased("t")
        outside.originDeviceId = PaymentTransaction.outsideDeviceId
        var resolved = Sample.purchased("t")
        resolved.supersedes = "t_0"
        let bought = Sample.purchased("t")
        let expected: [(PaymentTransaction, StoreEvent.Kind?, SignedChanges.Outcome, SignedTransactionEvent.Cause)] = [
            (bought, .purchased, outcome(), .purchase), (bought, .purchased, outcome(wasDeferred: true), .approval),
            (bought, .purchased, outcome(isRenewal: true), .renewal), (outside, .purchased, outcome(), .outside),
            (resolved, .purchased, outcome(), .resolution), (bought, .refunded, outcome(), .refund),
            (bought, .revoked, outcome(isRenewal: true), .revocation), (bought, nil, outcome(), .change),
            (outside, .shared, outcome(), .outside), (outside, .shared, outcome(isRenewal: true), .renewal),
        ]
        for (transaction, event, outcome, cause) in expected {
            let told = try #require(live(change(transaction, event)))
            let signed = try #require(told.signedTransaction(outcome, for: Sample.deviceId))
            #expect(signed.cause == cause)
            let key = [.purchase, .approval].contains(cause) ? transaction.payment.requestIdentifier : nil
            #expect(signed.requestIdentifier == key)
            #expect(signed.signedTransaction == "jws t")
        }
    }

    @Test func `what is held already is told to the device that bought it with StoreKit 2`() throws {
        var value = Sample.purchased("t")
        let first = try #require(live(change(value, .purchased)))
        #expect(first.signedTransaction(outcome(isHeld: true), for: Sample.deviceId) == nil)
        value.payment.returnsOutcome = true
        let told = try #require(live(change(value, .purchased)))
        #expect(told.signedTransaction(outcome(isHeld: true), for: "other") == nil)
        let signed = told.signedTransaction(outcome(isHeld: true), for: Sample.deviceId)
        #expect(signed?.cause == .held)
        #expect(signed?.requestIdentifier == value.payment.requestIdentifier)
    }

    // MARK: Events

    @Test func `transactions come in order, and a group's status once behind them`() throws {
        let changes = [
            try #require(live(change(subscribed("a"), .purchased, seq: 3))),
            try #require(live(change(subscribed("b"), .purchased, seq: 4))),
            try #require(live(change(subscribed("b"), .autoRenewDisabled, kind: .subscriptionChanged, seq: 5))),
        ]
        let signed = SignedChanges(outcomes: [outcome("b"), outcome("a")], statuses: [status("b")])
        let events = SignedEvent.events(of: changes, signed, for: Sample.deviceId)
        let shown = events.map { event in
            switch event {
            case .transaction(let event): "\(event.id) \(event.seq ?? 0)"
            case .status(let event): "\(event.groupID) \(event.seq ?? 0)"
            }
        }
        #expect(shown == ["a 3", "b 4", "g 5"])
    }

    @Test func `an extension is told once, with the change of its transaction`() throws {
        let changes = [
            try #require(live(change(subscribed(), .extended, kind: .subscriptionChanged, seq: 3))),
            try #require(live(change(subscribed(), nil, kind: .subscriptionChanged, seq: 4))),
        ]
        let events = SignedEvent.events(
            of: changes, SignedChanges(outcomes: [outcome()], statuses: [status("t")]), for: Sample.deviceId)
        let seqs = events.map { event in
            switch event {
            case .transaction(let event): event.seq
            case .status(let event): event.seq
            }
        }
        #expect(seqs == [4, 4])
    }

    @Test func `the refund of a past period says nothing of the subscription, and that of the present one does`() throws
    {
        let past = try #require(live(change(subscribed("a"), .refunded, kind: .subscriptionChanged)))
        let signed = SignedChanges(outcomes: [], statuses: [status("b")])
        #expect(SignedEvent.events(of: [past], signed, for: Sample.deviceId).isEmpty)
        let present = try #require(live(change(subscribed("b"), .refunded, kind: .subscriptionChanged)))
        #expect(SignedEvent.events(of: [present], signed, for: Sample.deviceId).count == 1)
    }

    // MARK: Machine and queue

    @Test func `a machine tells live changes behind their first form, and none before it is synchronized`() throws {
        var machine = DeliveryMachine(
            customer: customer, deviceId: Sample.deviceId, storefront: "USA", tellsChanges: true)
        let bought = change(Sample.purchased("a"), .purchased, seq: 5)
        let told = try #require(live(bought))
        #expect(machine.receive(hint: bought).isEmpty)
        let events = machine.receive(Snapshot(transactions: [Sample.purchased("z")], seq: 4))
        #expect(
            events == [
                .updated(seq: 4, [Sample.purchased("z")]), .synchronized(seq: 4),
                .updated(seq: 5, [Sample.purchased("a")]), .changed(told),
            ])
        let ended = change(subscribed("a"), .expired, kind: .subscriptionChanged, seq: 6)
        let toldEnd = try #require(live(ended))
        #expect(machine.receive(hint: ended) == [.changed(toldEnd)])
        machine.resynchronize()
        #expect(machine.need == .snapshot(after: nil, countsDelivery: false))
    }

    /// A queue in which changes of transactions wait, with the `seq` values 1 to `count`.
    private func queue(_ count: Int) throws -> SigningQueue {
        var queue = SigningQueue()
        for seq in 1...count {
            let told = try #require(live(change(Sample.purchased("t\(seq)"), .purchased, seq: Int64(seq))))
            let fits = queue.append(told)
            #expect(fits)
        }
        return queue
    }

    @Test func `a queue has one request at a time, of the first changes, and rests when the signer is away`() throws {
        var queue = try queue(SigningQueue.batchMax + 1)
        #expect(queue.ask().map(\.seq) == Array(1...Int64(SigningQueue.batchMax)))
        #expect(queue.ask().isEmpty)
        queue.wereNotTaken()
        #expect(queue.ask().isEmpty)
        queue.wake()
        #expect(queue.ask().count == SigningQueue.batchMax)
        queue.wereSigned()
        #expect(queue.ask().map(\.seq) == [Int64(SigningQueue.batchMax + 1)])
        queue.wereSigned()
        #expect(!queue.isDue)
    }

    @Test func `a refused request is halved until one change is alone, which has the queue give up`() throws {
        var queue = try queue(8)
        var sizes: [Int] = []
        var keeps = true
        while keeps {
            sizes.append(queue.ask().count)
            keeps = queue.wereRefused()
            queue.wake()
        }
        #expect(sizes == [8, 4, 2, 1])
        #expect(!queue.isDue)
    }

    @Test func `requests grow again once one is signed`() throws {
        var queue = try queue(16)
        for count in [16, 8, 4] {
            #expect(queue.ask().count == count)
            let keeps = queue.wereRefused()
            #expect(keeps)
            queue.wake()
        }
        for first in [1, 3, 7] as [Int64] {
            #expect(queue.ask().first?.seq == first)
            queue.wereSigned()
        }
    }

    @Test func `a full queue drops its changes, and an answer to them removes no later one`() throws {
        var queue = try queue(SigningQueue.waitingMax)
        #expect(!queue.ask().isEmpty)
        let next = try #require(live(change(Sample.purchased("next"), .purchased, seq: 900)))
        let fits = queue.append(next)
        #expect(!fits)
        let fitsThen = queue.append(next)
        #expect(fitsThen)
        #expect(queue.ask().isEmpty)
        queue.wereSigned()
        #expect(queue.ask().map(\.seq) == [900])
    }
}
