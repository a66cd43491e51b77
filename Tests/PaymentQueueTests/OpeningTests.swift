import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the pages of a stream that opens are complete with any events between them.
@Suite(.serialized) struct OpeningTests {
    @Test(arguments: Engine.allCases)
    func `a page follows though the history before it was cleared`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for number in 0..<5 { _ = try await alice.add("coins", key: "k\(number)") }
            let first = try await alice.opening(after: nil, through: nil, limit: 2)
            #expect(first.transactions.count == 2)
            #expect(try await store.clear("alice") == 5)
            let second = try await alice.opening(after: first.after, through: first.seq, limit: 2)
            #expect(second.transactions.isEmpty)
            #expect(second.after == nil)
            let later = try await alice.changes(after: first.seq).changes
            #expect(later.map(\.kind) == Array(repeating: .removed, count: 5))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the device's own purchase under way is on the first page, and its outcome comes later`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let tablet = alice.on(device: "tablet")
            for number in 0..<3 { _ = try await alice.add("coins", key: "k\(number)") }
            store.processor.set(trouble: .held)
            let begun = try await alice.begin("coins", key: "late").transaction
            let first = try await alice.opening(after: nil, through: nil, limit: 2)
            #expect(first.transactions.first == begun)
            #expect(first.transactions.first?.transactionState == .purchasing)
            // It is another device's too once it is purchased, and that one finishes it.
            store.processor.release()
            try await store.settle()
            try await eventually("it is purchased") {
                try await tablet.snapshot().transactions.contains { $0.id == begun.id }
            }
            try await tablet.finish(begun.id)
            let new = try await alice.add("coins", key: "new").transaction
            var pages = [first]
            while let after = pages.last?.after {
                pages.append(try await alice.opening(after: after, through: first.seq, limit: 2))
            }
            let ids = pages.flatMap(\.transactions).map(\.id)
            #expect(ids.count == 4 && Set(ids).count == 4)
            #expect(!ids.contains(new.id), "what began later comes with its changes, the first revision first")
            let revisions = try await alice.changes(after: first.seq).changes.filter { $0.transactionID == new.id }
            #expect(revisions.compactMap(\.transaction?.revision).first == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M51: each page of a launch counts what it brings, once`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for number in 0..<5 { _ = try await alice.add("coins", key: "k\(number)") }
            for launch in 1...2 {
                var (after, through): (String?, Int64?) = (nil, nil)
                repeat {
                    let page = try await alice.opening(after: after, through: through, limit: 2, launches: true)
                    #expect(page.transactions.allSatisfy { $0.deliveries == launch })
                    (after, through) = (page.after, through ?? page.seq)
                } while after != nil
            }
            #expect(try await alice.snapshot().transactions.map(\.deliveries) == [2, 2, 2, 2, 2])
        }
    }
}

extension CustomerApp {
    fileprivate func opening(
        after: String?, through: Int64?, limit: Int, launches: Bool = false
    ) async throws -> Snapshot {
        try await store.caller.call(
            PaymentEndpoints.snapshot,
            SnapshotRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device, countsDelivery: launches,
                after: after, limit: limit, opening: StreamOpening(through: through)))
    }
}
