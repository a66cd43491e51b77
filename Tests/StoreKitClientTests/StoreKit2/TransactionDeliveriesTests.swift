import SignedData
import StoreHTTP
import StoreModels
import Testing

@testable import StoreKitClient

private typealias Product = StoreKitClient.Product

/// Goal: `Transaction.updates` has each change once, and nothing that this device has bought by itself. The numbers are
/// those of the habits in docs/storekit-2.md.
@Suite struct TransactionDeliveriesTests {
    private var deliveries = TransactionDeliveries()

    private func ids(_ list: [VerificationResult<Transaction>]?) -> [UInt64]? { list?.map(\.id) }

    @Test mutating func `9, 17: a run begins with everything unfinished, newest first, once`() {
        let list: [VerificationResult<Transaction>] = [.sample(3), .sample(2), .sample(1)]
        #expect(ids(deliveries.synchronized(list, at: 1, keys: [:])) == [3, 2, 1])
        // After a broken stream.
        #expect(ids(deliveries.synchronized(list, at: 1, keys: [:])) == [])
        deliveries.endRun()
        #expect(ids(deliveries.synchronized(list, at: 1, keys: [:])) == [3, 2, 1])
    }

    @Test mutating func `10: a new iterator begins with what is unfinished`() {
        _ = deliveries.synchronized([.sample(2), .sample(1)], at: 1, keys: [:])
        _ = deliveries.received(.sample(3), cause: .renewal, key: nil, at: 2)
        #expect(ids(deliveries.replay) == [3, 2, 1])
        deliveries.finish(2)
        #expect(ids(deliveries.replay) == [3, 1])
    }

    @Test mutating func `7: what purchase() has returned is not delivered, whichever comes first`() {
        deliveries.begins(key: "a")
        deliveries.returns(.sample(1))
        #expect(deliveries.ends(key: "a") == nil)
        #expect(deliveries.received(.sample(1), cause: .purchase, key: "a", at: 2) == nil)
        deliveries.begins(key: "b")
        #expect(deliveries.received(.sample(2), cause: .purchase, key: "b", at: 3) == nil)
        deliveries.returns(.sample(2))
        #expect(deliveries.ends(key: "b") == nil)
        #expect(ids(deliveries.synchronized([.sample(2), .sample(1)], at: 3, keys: [1: "a", 2: "b"])) == [])
        #expect(deliveries.replay.isEmpty)
        // Nor in a later run of the process.
        deliveries.endRun()
        #expect(ids(deliveries.synchronized([.sample(1)], at: 3, keys: [:])) == [])
    }

    @Test mutating func `7: not even if the stream broke before its event`() {
        deliveries.begins(key: "a")
        #expect(ids(deliveries.synchronized([.sample(1)], at: 2, keys: [1: "a"])) == [])
        deliveries.returns(.sample(1))
        #expect(deliveries.ends(key: "a") == nil)
        deliveries.adds(key: "b")
        let list: [VerificationResult<Transaction>] = [.sample(3), .sample(2), .sample(1)]
        #expect(ids(deliveries.synchronized(list, at: 2, keys: [2: "b", 3: "of another device"])) == [3])
    }

    @Test mutating func `8: what purchase() did not return is delivered, whichever comes first`() {
        for (key, number) in [("a", 1), ("b", 2)] {
            deliveries.begins(key: key)
            #expect(deliveries.received(.sample(number), cause: .purchase, key: key, at: 2) == nil)
            #expect(deliveries.ends(key: key)?.id == UInt64(number))
        }
        #expect(ids(deliveries.replay) == [2, 1])
        deliveries.begins(key: "c")
        #expect(deliveries.ends(key: "c") == nil)
        #expect(deliveries.received(.sample(3), cause: .purchase, key: "c", at: 3)?.id == 3)
    }

    @Test mutating func `27, 28: what was pending is delivered by a list as well`() {
        for key in ["a", "b"] {
            deliveries.begins(key: key)
            #expect(deliveries.ends(key: key) == nil)
        }
        #expect(ids(deliveries.synchronized([.sample(1)], at: 2, keys: [1: "a"])) == [1])
        deliveries.endRun()
        #expect(ids(deliveries.synchronized([.sample(2), .sample(1)], at: 3, keys: [1: "a", 2: "b"])) == [2, 1])
    }

    @Test(arguments: SignedTransactionEvent.Cause.allCases)
    func `8, 23, 24: every cause is delivered but a purchase of this device and what was held already`(
        _ cause: SignedTransactionEvent.Cause
    ) {
        var deliveries = TransactionDeliveries()
        deliveries.adds(key: "a")
        #expect((deliveries.received(.sample(1), cause: cause, key: "b", at: 2) == nil) == (cause == .held))
        let isOwn = cause == .held || cause == .purchase
        #expect((deliveries.received(.sample(2), cause: cause, key: "a", at: 3) == nil) == isOwn)
    }

    @Test mutating func `39: what this device has bought is delivered when it changes`() {
        deliveries.adds(key: "a")
        _ = deliveries.received(.sample(1), cause: .purchase, key: "a", at: 2)
        let refunded = VerificationResult.sample(1, revoked: 1_795_600_000_001)
        #expect(deliveries.received(refunded, cause: .refund, key: nil, at: 3) == refunded)
        #expect(ids(deliveries.replay) == [1])
    }

    @Test mutating func `what the store has deleted is not delivered by an event that comes later`() {
        #expect(ids(deliveries.synchronized([.sample(2), .sample(1)], at: 3, keys: [:])) == [2, 1])
        deliveries.forget(nil)
        #expect(deliveries.received(.sample(1), cause: .outside, key: nil, at: 2) == nil)
        #expect(deliveries.received(.sample(3), cause: .outside, key: nil, at: 4) != nil)
        deliveries.forget(3)
        #expect(ids(deliveries.synchronized([.sample(3), .sample(2)], at: 4, keys: [:])) == [])
        #expect(ids(deliveries.replay) == [])
    }

    @Test mutating func `13: the same state signed again is not delivered again`() {
        #expect(deliveries.received(.sample(1), cause: .outside, key: nil, at: 2) != nil)
        #expect(deliveries.received(.sample(1, signedDate: 7), cause: .change, key: nil, at: 3) == nil)
        deliveries.finish(1)
        #expect(deliveries.received(.sample(1, signedDate: 8), cause: .change, key: nil, at: 4) == nil)
    }

    @Test mutating func `8: a refund of what was finished is delivered, and not repeated to new iterators`() {
        deliveries.finish(1)
        #expect(deliveries.received(.sample(1, revoked: 5), cause: .refund, key: nil, at: 2) != nil)
        #expect(deliveries.replay.isEmpty)
        #expect(ids(deliveries.synchronized([.sample(1, revoked: 5)], at: 3, keys: [:])) == [])
    }

    @Test mutating func `a state is not overtaken by an earlier one, of a list or an event`() {
        let (bought, refunded) = (VerificationResult.sample(1), VerificationResult.sample(1, revoked: 5))
        #expect(deliveries.received(refunded, cause: .refund, key: nil, at: 7) != nil)
        #expect(ids(deliveries.synchronized([.sample(2), bought], at: 6, keys: [:])) == [2])
        #expect(ids(deliveries.synchronized([refunded], at: 8, keys: [:])) == [])
        #expect(deliveries.received(bought, cause: .change, key: nil, at: 7) == nil)
        #expect(deliveries.replay.first { $0.id == 1 } == refunded)
        #expect(deliveries.received(bought, cause: .change, key: nil, at: 9) != nil)
    }

    @Test mutating func `a journal that has begun anew counts from 1`() {
        #expect(deliveries.received(.sample(1), cause: .outside, key: nil, at: 900) != nil)
        deliveries.opened(at: 2)
        let refunded = VerificationResult.sample(1, revoked: 5)
        #expect(ids(deliveries.synchronized([refunded], at: 3, keys: [:])) == [1])
    }

    @Test mutating func `8: what was revoked before the stream began is delivered once, and not to new iterators`() {
        let list: [VerificationResult<Transaction>] = [.sample(3), .sample(2, revoked: 5), .sample(1, revoked: 4)]
        #expect(ids(deliveries.revoked(list, at: 2)) == [2, 1])
        #expect(ids(deliveries.revoked(list, at: 3)) == [] && deliveries.replay.isEmpty)
    }

    private func status(_ state: Int, original: Int = 1, renews: Int = 1) -> Product.SubscriptionInfo.Status {
        let verifier = StoreVerifier(
            verifier: .init(roots: []), bundleId: "com.example.app", environment: nil, device: nil)
        return .init(
            SignedSubscriptionStatus(
                state: state, signedTransaction: signedTransaction(original),
                signedRenewalInfo: signed(["autoRenewStatus": .integer(renews)])),
            by: verifier)
    }

    @Test mutating func `19: statuses are delivered when they change, not when a run begins`() {
        #expect(deliveries.synchronized([status(1)], at: 1).isEmpty)
        #expect(deliveries.received(status(1), at: 2) == nil)
        let changed = deliveries.received(status(1, renews: 0), at: 4)
        #expect(changed?.status.renewalInfo.unsafePayloadValue.willAutoRenew == false)
        #expect(deliveries.synchronized([status(1)], at: 3).isEmpty)
        #expect(deliveries.received(status(1, renews: 0), at: 5) == nil)
        #expect(deliveries.synchronized([status(2, renews: 0), status(1, original: 2)], at: 6).count == 2)
    }

    @Test mutating func `19: a purchase of the run has its status, whether it ends before or after the first read`() {
        deliveries.returns(.sample(1))
        #expect(deliveries.synchronized([status(1), status(1, original: 2)], at: 5).map(\.status) == [status(1)])
        #expect(deliveries.received(status(1), at: 4) == nil)
        deliveries.endRun()
        #expect(deliveries.synchronized([status(1), status(1, original: 2)], at: 5).isEmpty)
        #expect(deliveries.returns(.sample(1), isNew: false) == nil)
        #expect(deliveries.returns(.sample(2))?.status == status(1, original: 2))
        #expect(deliveries.received(status(1, original: 2), at: 5) == nil)
        #expect(deliveries.returns(.sample(2)) == nil)
    }

    @Test mutating func `18, 19: a change that the first read has already is delivered with its event`() {
        #expect(deliveries.synchronized([status(2), status(1, original: 2)], at: 5).isEmpty)
        #expect(deliveries.received(status(1), at: 4)?.status == status(2))
        #expect(deliveries.received(status(2), at: 5) == nil)
        #expect(deliveries.received(status(1, original: 2), at: 6) == nil)
        deliveries.endRun()
        #expect(deliveries.received(status(4), at: 4)?.status == status(4))
        #expect(deliveries.synchronized([status(3)], at: 5).map(\.status) == [status(3)])
        #expect(deliveries.received(status(3), at: 5) == nil)
    }

    @Test mutating func `a failed charge is told once, when it begins`() {
        _ = deliveries.synchronized([status(1)], at: 1)
        #expect(deliveries.received(status(4), at: 2)?.isBillingIssue == true)
        #expect(deliveries.received(status(3), at: 3)?.isBillingIssue == false)
        #expect(deliveries.received(status(1), at: 4)?.isBillingIssue == false)
        #expect(deliveries.received(status(3), at: 5)?.isBillingIssue == true)
    }
}
