import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI

/// What opens in several pages while the queue changes under it: a stream always gets to its end.
@Suite struct DeliveryOpeningTests {
    private let customer = CustomerReference(bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)

    private func machine() -> DeliveryMachine {
        DeliveryMachine(customer: customer, deviceId: Sample.deviceId, storefront: "USA")
    }

    @Test func `history cleared between two pages begins the opening anew`() {
        var machine = machine()
        _ = machine.receive(Snapshot(transactions: [Sample.purchased("a")], seq: 1, after: "a"))
        #expect(machine.readFailed(.notFound) == false)
        #expect(machine.need == .nothing, "not at once, so that nothing spins")
        machine.receive(head: 2, askedAt: 1)
        #expect(machine.need == .snapshot(after: nil, countsDelivery: true))
        #expect(
            machine.receive(Snapshot(transactions: [], seq: 2)) == [.updated(seq: 2, []), .synchronized(seq: 2)])
    }

    @Test func `a customer who is gone ends the stream`() {
        var opening = machine()
        #expect(opening.readFailed(.notFound) == true)
        var live = machine()
        _ = live.receive(Snapshot(transactions: [], seq: 1))
        live.receive(head: 2, askedAt: 1)
        #expect(live.readFailed(.notFound) == true)
        #expect(live.readFailed(.serviceUnavailable) == false)
    }

    @Test func `what the first page ends with is kept until the last one`() {
        var machine = machine()
        let restore = Restore(restoreIdentifier: "r", state: .finished, restored: 1)
        let lost = Revocation(seq: 1, productIdentifiers: ["p"])
        let first = Snapshot(
            transactions: [Sample.purchased("a")], seq: 2, after: "a", restores: [restore], revocations: [lost])
        #expect(machine.receive(first) == [.updated(seq: 2, [Sample.purchased("a")])])
        #expect(
            machine.receive(Snapshot(transactions: [Sample.purchased("b")], seq: 2)) == [
                .updated(seq: 2, [Sample.purchased("b")]), .entitlementsRevoked(seq: 2, lost),
                .restoreEnded(seq: 2, restore), .synchronized(seq: 2),
            ])
    }

    /// Purchases begin, end, are finished and cleared while pages are read, and reads fail.
    @Test func `with any events between its pages, a stream synchronizes and then agrees with the queue (Q1, Q2)`() {
        var random = SplitMix64.seeded()
        for _ in 0..<300 {
            var queue = ModelQueue(customer: customer)
            for _ in 0..<Int.random(in: 0...20, using: &random) { queue.changeSomething(&random) }
            var machine = machine()
            var observer = ModelObserver()
            var steps = 0
            var changes = Int.random(in: 0...30, using: &random)
            repeat {
                if changes > 0, Bool.random(using: &random) {
                    changes -= 1
                    let hints = queue.changeSomething(&random)
                    for hint in hints where Bool.random(using: &random) { observer.hear(machine.receive(hint: hint)) }
                }
                observer.hear(read(&machine, &queue, &observer, &random))
                if machine.need == .nothing { machine.receive(head: queue.seq, askedAt: machine.position) }
                steps += 1
            } while steps < 2000 && (changes > 0 || machine.need != .nothing || machine.position < queue.seq)
            #expect(observer.isSynchronized)
            #expect(machine.need == .nothing)
            #expect(observer.queue == queue.visible, "after \(steps) steps")
            #expect(observer.outcomesWithoutBeginning.isEmpty)
        }
    }

    /// Does what the machine needs, once.
    private func read(
        _ machine: inout DeliveryMachine, _ queue: inout ModelQueue, _ observer: inout ModelObserver,
        _ random: inout SplitMix64
    ) -> [DeliveryMachine.Event] {
        switch machine.need {
        case .nothing, .intents: return []
        case _ where Int.random(in: 0..<8, using: &random) == 0:
            _ = machine.readFailed(.serviceUnavailable)
            return []
        case .snapshot(let after, _):
            // As of a replica that names its pages by transactions, and has lost one.
            if after != nil, queue.wasCleared, Bool.random(using: &random) {
                queue.wasCleared = false
                #expect(machine.readFailed(.notFound) == false)
                return []
            }
            if after == nil { observer.opens(with: queue.ended) }
            return machine.receive(queue.page(after, through: after == nil ? nil : machine.position))
        case .changes(let after):
            return machine.receive(
                ChangesReply(
                    changes: Array(queue.journal.filter { $0.seq > after }.prefix(3)), head: queue.seq,
                    snapshotRequired: false))
        }
    }
}

/// PaymentQueue's side, in memory: pages of four, the device's own purchases under way first.
private struct ModelQueue {
    private static let pageSize = 4
    let customer: CustomerReference
    private(set) var journal: [CustomerChange] = []
    private var rows: [(createdSeq: Int64, transaction: PaymentTransaction)] = []
    private var count = 0
    var wasCleared = false

    init(customer: CustomerReference) { self.customer = customer }

    var seq: Int64 { Int64(journal.count) }
    var visible: [String: Int] {
        Dictionary(uniqueKeysWithValues: shown.map { ($0.transaction.id, $0.transaction.revision) })
    }
    /// Those whose outcome is known.
    var ended: Set<String> { Set(rows.filter { $0.transaction.revision > 1 }.map(\.transaction.id)) }
    private var shown: [(createdSeq: Int64, transaction: PaymentTransaction)] {
        rows.filter { $0.transaction.isVisible(to: Sample.deviceId) }
    }
    private var underWay: [Int] { rows.indices.filter { rows[$0].transaction.transactionState == .purchasing } }

    /// Begins, ends or finishes a purchase, or clears the history.
    @discardableResult
    mutating func changeSomething(_ random: inout SplitMix64) -> [CustomerChange] {
        let before = journal.count
        let done = rows.indices.filter { rows[$0].transaction.revision > 1 }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8 where underWay.count < Self.pageSize:
            count += 1
            let device = Int.random(in: 0..<4, using: &random) == 0 ? "alice-2" : Sample.deviceId
            let value = Sample.purchasing("t\(count)", device: device)
            rows.append((seq + 1, value))
            write(value, .updated)
        case 8..<14:
            guard let index = underWay.randomElement(using: &random) else { break }
            let value = rows[index].transaction
            rows[index].transaction = Sample.purchased(value.id, device: value.originDeviceId)
            write(rows[index].transaction, .updated)
        case 14..<18:
            guard let index = done.randomElement(using: &random) else { break }
            write(rows.remove(at: index).transaction, .removed)
        case 18:
            wasCleared = true
            let all = rows
            rows = []
            for row in all { write(row.transaction, .removed) }
        default: break
        }
        return Array(journal[before...])
    }

    private mutating func write(_ value: PaymentTransaction, _ kind: CustomerChange.Kind) {
        journal.append(
            CustomerChange(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq + 1, kind: kind,
                transaction: value))
    }

    func page(_ after: String?, through: Int64?) -> Snapshot {
        let through = through ?? seq
        let behind = after.flatMap { Int64($0) } ?? 0
        let isOwn = { (value: PaymentTransaction) in value.transactionState == .purchasing }
        let own = after == nil ? shown.filter { isOwn($0.transaction) } : []
        let rest = shown.filter {
            !isOwn($0.transaction) && $0.createdSeq > behind && $0.createdSeq <= through
        }
        let page = own + rest.prefix(Self.pageSize - own.count)
        let isLast = page.count == own.count + rest.count
        let last = page.last.map { isOwn($0.transaction) ? 0 : $0.createdSeq }
        return Snapshot(transactions: page.map(\.transaction), seq: seq, after: isLast ? nil : "\(last ?? 0)")
    }
}

/// An app's state after the events it gets.
private struct ModelObserver {
    private(set) var queue: [String: Int] = [:]
    private(set) var isSynchronized = false
    private(set) var outcomesWithoutBeginning: Set<String> = []
    private var begun: Set<String> = []
    private var endedAtOpening: Set<String> = []

    /// The first page of an opening is read: all unfinished comes anew.
    mutating func opens(with ended: Set<String>) {
        queue = [:]
        endedAtOpening.formUnion(ended)
    }

    mutating func hear(_ events: [DeliveryMachine.Event]) {
        for event in events {
            switch event {
            case .updated(_, let transactions): for transaction in transactions { hear(transaction) }
            case .removed(_, let transactions): for transaction in transactions { queue[transaction.id] = nil }
            case .synchronized: isSynchronized = true
            default: break
            }
        }
    }

    private mutating func hear(_ transaction: PaymentTransaction) {
        queue[transaction.id] = max(queue[transaction.id] ?? 0, transaction.revision)
        if transaction.transactionState == .purchasing { begun.insert(transaction.id) }
        let isOwn = transaction.originDeviceId == Sample.deviceId
        if isOwn, transaction.revision > 1, !begun.contains(transaction.id), !endedAtOpening.contains(transaction.id) {
            outcomesWithoutBeginning.insert(transaction.id)
        }
    }
}
