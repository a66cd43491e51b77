import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: lists read together are those that each device would have read alone.
@Suite(.serialized) struct UnfinishedListsTests {
    private func list(_ customerApp: CustomerApp, after: String? = nil, limit: Int = 100) -> SnapshotRequest {
        SnapshotRequest(
            bundleId: Catalogue.bundleId, customerIdentifier: customerApp.customer, deviceId: customerApp.device,
            countsDelivery: false, after: after, limit: limit)
    }

    private func read(_ lists: [SnapshotRequest], in store: TestStore) async throws -> [TransactionsPage?] {
        let reply = try await store.caller.call(
            PaymentEndpoints.unfinishedLists, UnfinishedListsRequest(lists: lists))
        return try reply.pages.map { page in
            try page.map { try StoreJSON.decode(TransactionsPage.self, from: Array($0)) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `devices get the pages that each would get alone`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let tablet = try await store.customerApp(device: "alice-2")
            let bob = try await store.customerApp("bob")
            for key in ["1", "2", "3"] { _ = try await alice.add("coins", key: key) }
            try await store.set("alice", TesterSettings(signIn: .fails))
            _ = try await alice.add("guide", key: "failed")
            _ = try await alice.snapshot(launches: true)
            let first = try await alice.snapshot(limit: 2)
            let lists = [
                list(alice), list(bob), list(tablet), list(alice, limit: 2), list(alice, after: first.after, limit: 2),
            ]
            let pages = try await read(lists, in: store)
            #expect(pages.map { $0?.transactions.count } == [4, 0, 3, 2, 2])
            for (page, request) in zip(pages, lists) {
                let alone = try await store.caller.call(PaymentEndpoints.snapshot, request)
                #expect(page == TransactionsPage(transactions: alone.transactions, after: alone.after))
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a list that is refused alone has no page, and the others have theirs`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "1")
            let pages = try await read(
                [
                    list(alice.named("unknown")), list(alice), list(alice, after: "t_unknown"), list(alice, limit: 0),
                    list(alice, limit: 101),
                ], in: store)
            #expect(pages.map { $0?.transactions.count } == [nil, 1, nil, nil, nil])
            let tooMany = Array(repeating: list(alice), count: 33)
            #expect(try await refusal { try await read(tooMany, in: store) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a device's first list is where its revocations begin, as with a snapshot`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let tablet = try await store.customerApp(device: "alice-2")
            let bought = try await alice.add("beaches", key: "1").transaction
            _ = try await read([list(tablet)], in: store)
            _ = try await store.refund(bought.id)
            #expect(try await tablet.snapshot().revocations.map(\.productIdentifiers) == [["beaches"]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `as many pages are sent as fit a reply`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let name = String(repeating: "x", count: 4_000)
            for key in 0..<40 { _ = try await alice.add("coins", key: "\(key)", username: name) }
            let pages = try await read(Array(repeating: list(alice), count: 5), in: store)
            #expect((1..<5).contains(pages.count))
            #expect(pages.allSatisfy { $0?.transactions.count == 40 })
        }
    }
}
