import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI

/// Live delivery without any I/O: what goes in, what comes out, what is asked for next.
@Suite struct DeliveryMachineTests {
    private let customer = CustomerReference(bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)

    private func machine(at seq: Int64 = 0, device: String = Sample.deviceId) -> DeliveryMachine {
        var machine = DeliveryMachine(customer: customer, deviceId: device, storefront: "USA")
        _ = machine.receive(Snapshot(transactions: [], seq: seq))
        return machine
    }

    private func change(
        _ seq: Int64, _ transaction: PaymentTransaction, _ kind: CustomerChange.Kind = .updated
    ) -> CustomerChange {
        CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, kind: kind,
            transaction: transaction)
    }

    @Test func `an empty snapshot is sent too, and then synchronized (M17)`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        #expect(machine.need == .snapshot(after: nil, countsDelivery: true))
        #expect(machine.receive(Snapshot(transactions: [], seq: 4)) == [.updated(seq: 4, []), .synchronized(seq: 4)])
        #expect(machine.need == .nothing)
    }

    @Test func `pages are read one after the other before anything live`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        let first = Sample.purchased("a")
        #expect(machine.receive(Snapshot(transactions: [first], seq: 7, after: "a")) == [.updated(seq: 7, [first])])
        #expect(machine.need == .snapshot(after: "a", countsDelivery: true))
        #expect(machine.receive(hint: change(8, Sample.purchased("c"))).isEmpty)
        let second = Sample.purchased("b")
        #expect(
            machine.receive(Snapshot(transactions: [second], seq: 7)) == [
                .updated(seq: 7, [second]), .synchronized(seq: 7), .updated(seq: 8, [Sample.purchased("c")]),
            ])
    }

    @Test func `hints up to the snapshot are dropped, the one behind it is forwarded`() {
        var machine = machine(at: 5)
        #expect(machine.receive(hint: change(5, Sample.purchased("old"))).isEmpty)
        #expect(
            machine.receive(hint: change(6, Sample.purchased("new"))) == [.updated(seq: 6, [Sample.purchased("new")])])
        #expect(machine.receive(hint: change(6, Sample.purchased("new"))).isEmpty, "a repeated hint says nothing new")
    }

    @Test func `a gap is read from the journal and closes in order`() {
        var machine = machine(at: 1)
        #expect(machine.receive(hint: change(4, Sample.purchased("d"))).isEmpty)
        #expect(machine.need == .changes(after: 1))
        let reply = ChangesReply(
            changes: [change(2, Sample.purchased("b")), change(3, Sample.purchased("c"))], head: 4,
            snapshotRequired: false)
        #expect(
            machine.receive(reply) == [
                .updated(seq: 2, [Sample.purchased("b")]), .updated(seq: 3, [Sample.purchased("c")]),
                .updated(seq: 4, [Sample.purchased("d")]),
            ])
        #expect(machine.need == .nothing)
    }

    @Test func `a lost last event is found by the head`() {
        var machine = machine(at: 3)
        machine.receive(head: 4, askedAt: 3)
        #expect(machine.need == .changes(after: 3))
    }

    @Test func `a head read before a hint arrived is no reason to begin anew`() {
        var machine = machine(at: 3)
        _ = machine.receive(hint: change(4, Sample.purchased("d")))
        machine.receive(head: 3, askedAt: 3)
        #expect(machine.need == .nothing)
    }

    @Test func `a head behind what was sent means a new journal, and a new snapshot that is no delivery`() {
        var machine = machine(at: 9)
        machine.receive(head: 2, askedAt: 9)
        #expect(machine.need == .snapshot(after: nil, countsDelivery: false))
        #expect(machine.receive(Snapshot(transactions: [], seq: 2)) == [.updated(seq: 2, []), .synchronized(seq: 2)])
        #expect(machine.position == 2)
    }

    @Test func `changes older than the journal mean a snapshot`() {
        var machine = machine(at: 1)
        machine.receive(head: 50, askedAt: 1)
        #expect(machine.receive(ChangesReply(changes: [], head: 50, snapshotRequired: true)).isEmpty)
        #expect(machine.need == .snapshot(after: nil, countsDelivery: false))
    }

    @Test func `a hint from nowhere is looked up once and forgotten`() {
        var machine = machine(at: 3)
        #expect(machine.receive(hint: change(900, Sample.purchased("x"))).isEmpty)
        #expect(machine.need == .changes(after: 3))
        #expect(machine.receive(ChangesReply(changes: [], head: 3, snapshotRequired: false)).isEmpty)
        #expect(machine.need == .nothing)
    }

    @Test func `a failed read rests until the next head`() {
        var machine = machine(at: 3)
        machine.receive(head: 5, askedAt: 3)
        #expect(machine.readFailed(.serviceUnavailable) == false)
        #expect(machine.need == .nothing)
        machine.receive(head: 5, askedAt: 3)
        #expect(machine.need == .changes(after: 3))
    }

    @Test func `a page ahead of the first never takes a transaction back`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        _ = machine.receive(Snapshot(transactions: [], seq: 1, after: "a"))
        _ = machine.receive(Snapshot(transactions: [Sample.purchased("b", revision: 2)], seq: 3))
        machine.receive(head: 3, askedAt: 1)
        let reply = ChangesReply(
            changes: [change(2, Sample.purchasing("b")), change(3, Sample.purchased("b"))], head: 3,
            snapshotRequired: false)
        #expect(machine.receive(reply).isEmpty)
        #expect(machine.position == 3)
    }

    @Test func `another device's failed transaction is passed over, its place is kept (M19)`() {
        var machine = machine(at: 1)
        #expect(machine.receive(hint: change(2, Sample.failed("x", device: "bob-1"))).isEmpty)
        #expect(
            machine.receive(hint: change(3, Sample.purchased("y", device: "bob-1"))) == [
                .updated(seq: 3, [Sample.purchased("y", device: "bob-1")])
            ])
        #expect(
            machine.receive(hint: change(4, Sample.purchased("y", device: "bob-1"), .removed)) == [
                .removed(seq: 4, [Sample.purchased("y", device: "bob-1")])
            ])
    }

    @Test func `a hint for another customer is none of ours`() {
        var machine = machine(at: 1)
        var foreign = change(2, Sample.purchased("x"))
        foreign.customerIdentifier = "c_mallory"
        #expect(machine.receive(hint: foreign).isEmpty)
        #expect(machine.position == 1)
    }

    /// Every change, lost, repeated or reordered, arrives once and in order.
    @Test func `any mixture of lost, repeated and reordered hints delivers every change in order (Q2)`() {
        var random = SplitMix64.seeded()
        for _ in 0..<200 {
            let count = Int64.random(in: 1...40, using: &random)
            let journal = (1...count).map { change($0, Sample.purchased("t\($0)")) }
            var machine = machine(at: 0)
            var hints = journal.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
            hints += hints.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            hints.shuffle(using: &random)
            var seen: [Int64] = []
            func note(_ events: [DeliveryMachine.Event]) {
                for case .updated(let seq, let list) in events where !list.isEmpty { seen.append(seq) }
            }
            func read() {
                while case .changes(let after) = machine.need {
                    let page = Array(journal.filter { $0.seq > after }.prefix(7))
                    note(machine.receive(ChangesReply(changes: page, head: count, snapshotRequired: false)))
                }
            }
            for hint in hints {
                note(machine.receive(hint: hint))
                if Bool.random(using: &random) { read() }
            }
            machine.receive(head: count, askedAt: machine.position)
            read()
            #expect(seen == Array(1...count))
        }
    }

    @Test func `a storefront is sent once for each change, and not before synchronized`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        let france = Storefront(countryCode: "FRA", identifier: "143442")
        let america = Storefront(countryCode: "USA", identifier: "143441")
        #expect(machine.receive(france) == [])
        _ = machine.receive(Snapshot(transactions: [], seq: 3))
        #expect(machine.receive(america) == [])
        #expect(machine.receive(france) == [.storefrontChanged(seq: 3, france)])
        #expect(machine.receive(france) == [])
        #expect(machine.storefront == "FRA")
        #expect(machine.receive(america) == [.storefrontChanged(seq: 3, america)])
    }

    private func end(
        _ seq: Int64, _ id: String, device: String = Sample.deviceId
    ) -> (change: CustomerChange, restore: Restore) {
        let restore = Restore(restoreIdentifier: id, state: .finished, restored: 1)
        let change = CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, restore: restore,
            deviceId: device)
        return (change, restore)
    }

    @Test func `a restore's end follows all unfinished and before synchronized (R2)`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        let restored = Sample.purchased("a")
        let restore = end(2, "r").restore
        #expect(
            machine.receive(Snapshot(transactions: [restored], seq: 2, restores: [restore])) == [
                .updated(seq: 2, [restored]), .restoreEnded(seq: 2, restore), .synchronized(seq: 2),
            ])
    }

    @Test func `a restore's end is sent live, once, and to its device only (M41, R2)`() {
        var machine = machine(at: 1)
        let (mine, restore) = end(2, "r")
        #expect(machine.receive(hint: mine) == [.restoreEnded(seq: 2, restore)])
        #expect(machine.receive(hint: mine).isEmpty)
        #expect(machine.receive(hint: end(3, "s", device: "alice-2").change).isEmpty)
        #expect(machine.position == 3, "its place is kept")
        // The journal began anew, and no stream has acknowledged the end yet.
        machine.receive(head: 1, askedAt: 3)
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 1, restores: [restore])) == [
                .updated(seq: 1, []), .synchronized(seq: 1),
            ])
    }

    @Test func `an end that a later page brought does not come again with its change`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        _ = machine.receive(Snapshot(transactions: [], seq: 1, after: "a"))
        let (change, restore) = end(2, "r")
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 2, restores: [restore])) == [
                .restoreEnded(seq: 1, restore), .synchronized(seq: 1),
            ])
        #expect(machine.receive(hint: change).isEmpty)
        #expect(machine.position == 2)
    }

    @Test func `downloads are sent to their device only (M46)`() {
        let download = Download(
            id: "d", transactionId: "t", state: .active, contentIdentifier: "c", contentVersion: "1.0",
            contentLength: 1)
        let change = CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: 2,
            downloads: [download], deviceId: Sample.deviceId)
        var mine = machine(at: 1)
        #expect(mine.receive(hint: change) == [.downloadsUpdated(seq: 2, [download])])
        var other = machine(at: 1, device: "alice-2")
        #expect(other.receive(hint: change).isEmpty)
        #expect(other.position == 2)
    }

    private func revocation(_ seq: Int64, _ product: String) -> (change: CustomerChange, revocation: Revocation) {
        let change = CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, revoked: [product],
            transaction: Sample.purchased("t\(seq)", device: "alice-2"))
        return (change, Revocation(seq: seq, productIdentifiers: [product]))
    }

    @Test func `revocations stand before the ends of restores, and both before synchronized`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        let lost = [revocation(1, "p").revocation, revocation(2, "q").revocation]
        let restore = end(3, "r").restore
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 3, restores: [restore], revocations: lost)) == [
                .updated(seq: 3, []), .entitlementsRevoked(seq: 3, lost[0]), .entitlementsRevoked(seq: 3, lost[1]),
                .restoreEnded(seq: 3, restore), .synchronized(seq: 3),
            ])
    }

    @Test func `a revocation is sent once, live or with a page that is ahead of its change`() {
        var machine = DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
        _ = machine.receive(Snapshot(transactions: [], seq: 1, after: "a"))
        let (change, lost) = revocation(2, "p")
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 2, revocations: [lost])) == [
                .entitlementsRevoked(seq: 1, lost), .synchronized(seq: 1),
            ])
        #expect(machine.receive(hint: change).isEmpty)
        #expect(machine.position == 2)
        let next = revocation(3, "q")
        #expect(machine.receive(hint: next.change) == [.entitlementsRevoked(seq: 3, next.revocation)])
        #expect(machine.receive(hint: next.change).isEmpty)
    }

    @Test func `a journal that began anew counts its revocations anew`() {
        var machine = machine(at: 4)
        let (change, lost) = revocation(5, "p")
        #expect(machine.receive(hint: change) == [.entitlementsRevoked(seq: 5, lost)])
        machine.receive(head: 1, askedAt: 5)
        let other = revocation(5, "q").revocation
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 5, revocations: [other])) == [
                .updated(seq: 5, []), .entitlementsRevoked(seq: 5, other), .synchronized(seq: 5),
            ])
    }

    @Test func `a change of a subscription is passed over and keeps its place`() {
        var machine = machine(at: 1)
        #expect(machine.receive(hint: change(2, Sample.purchased("t"), .subscriptionChanged)).isEmpty)
        #expect(machine.position == 2)
        #expect(machine.need == .nothing)
    }
}
