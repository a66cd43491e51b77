import StoreModels
import Testing

@testable import AppAPI

/// The opening of a stream that handles promoted purchases, without any I/O.
@Suite struct OpeningWithIntentsTests {
    private let customer = CustomerReference(bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)

    private func machine() -> DeliveryMachine {
        DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA", tellsIntents: true)
    }

    private func change(_ seq: Int64) -> CustomerChange {
        CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, kind: .updated,
            transaction: Sample.purchased("t\(seq)"))
    }

    @Test func `between the last page and what it ends with come intents`() {
        var machine = machine()
        #expect(machine.receive(Snapshot(transactions: [], seq: 3, after: "x")) == [.updated(seq: 3, [])])
        #expect(machine.need == .snapshot(after: "x", countsDelivery: true))
        let restore = Restore(restoreIdentifier: "r", state: .finished, restored: 0)
        #expect(machine.receive(Snapshot(transactions: [], seq: 3, restores: [restore])) == [])
        #expect(machine.need == .intents)
        #expect(machine.intentsWereTold() == [.restoreEnded(seq: 3, restore), .synchronized(seq: 3)])
        #expect(machine.need == .nothing)
        #expect(machine.intentsWereTold().isEmpty, "once")
    }

    @Test func `changes that happen meanwhile wait for synchronized`() {
        var machine = machine()
        _ = machine.receive(Snapshot(transactions: [], seq: 3))
        #expect(machine.receive(hint: change(4)).isEmpty)
        machine.receive(head: 4, askedAt: 3)
        #expect(machine.need == .intents)
        #expect(
            machine.intentsWereTold() == [.synchronized(seq: 3), .updated(seq: 4, [Sample.purchased("t4")])])
    }

    @Test func `a snapshot taken again does not wait for intents again`() {
        var machine = machine()
        _ = machine.receive(Snapshot(transactions: [], seq: 3))
        _ = machine.intentsWereTold()
        machine.receive(head: 1, askedAt: 3)
        #expect(machine.need == .snapshot(after: nil, countsDelivery: false))
        #expect(machine.receive(Snapshot(transactions: [], seq: 1)) == [.updated(seq: 1, []), .synchronized(seq: 1)])
    }
}
