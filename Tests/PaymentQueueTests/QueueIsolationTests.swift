import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a request with another customer's or another app's identifiers gets the same answer as for what was never
/// there (P11). Method: every subject that serves a customer, each identifier it takes, in one table.
@Suite(.serialized) struct QueueIsolationTests {
    /// Who asks.
    private struct Asker: Sendable {
        var bundleId = Catalogue.bundleId
        var customer: String
        var device = "phone"
    }

    /// What there is to ask about.
    private struct Things: Sendable {
        var transaction: String
        var restore: String
        var download: String
    }

    private typealias Call = @Sendable (ServiceCaller, Asker, Things) async throws -> Void

    private static let calls: [(String, Call)] = [
        call("transaction.get", PaymentEndpoints.getTransaction) { request($0, $1.transaction) },
        call("transaction.finish", PaymentEndpoints.finishTransaction) { request($0, $1.transaction) },
        call("transaction.history after", PaymentEndpoints.history) { who, things in
            HistoryRequest(bundleId: who.bundleId, customerIdentifier: who.customer, after: things.transaction)
        },
        call("queue.snapshot after", PaymentEndpoints.snapshot) { who, things in
            SnapshotRequest(
                bundleId: who.bundleId, customerIdentifier: who.customer, deviceId: who.device,
                countsDelivery: true, after: things.transaction)
        },
        call("restore.get", PaymentEndpoints.getRestore) { restoreRequest($0, $1.restore) },
        call("restore.acknowledge", PaymentEndpoints.acknowledgeRestore) { restoreRequest($0, $1.restore) },
        call("download.get", PaymentEndpoints.getDownload) { who, things in
            DownloadRequest(
                bundleId: who.bundleId, customerIdentifier: who.customer, deviceId: who.device,
                downloadId: things.download)
        },
    ]

    /// The same, for each action.
    private static let updates: [(String, Call)] = DownloadAction.allCases.map { action in
        call("download.update \(action)", PaymentEndpoints.updateDownload) { who, things in
            UpdateDownloadRequest(
                bundleId: who.bundleId, customerIdentifier: who.customer, deviceId: who.device,
                downloadId: things.download, action: action)
        }
    }

    private static func call<Request, Reply>(
        _ name: String, _ endpoint: Endpoint<Request, Reply>,
        _ request: @escaping @Sendable (Asker, Things) -> Request
    ) -> (String, Call) {
        (name, { caller, who, things in _ = try await caller.call(endpoint, request(who, things)) })
    }

    private static func request(_ who: Asker, _ id: String) -> TransactionRequest {
        TransactionRequest(bundleId: who.bundleId, customerIdentifier: who.customer, deviceId: who.device, id: id)
    }

    private static func restoreRequest(_ who: Asker, _ id: String) -> RestoreRequest {
        RestoreRequest(
            bundleId: who.bundleId, customerIdentifier: who.customer, deviceId: who.device, restoreIdentifier: id)
    }

    private func other(_ store: TestStore, _ account: String) async throws -> Asker {
        let reply = try await store.caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: "com.example.other", account: account, deviceId: "phone"))
        return Asker(bundleId: "com.example.other", customer: reply.customerIdentifier)
    }

    @Test(arguments: Engine.allCases) func `P11: another customer's identifier is notFound, like one that never was`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let bought = try await alice.add("guide", key: "k").transaction
            _ = try await bob.add("guide", key: "k")
            let things = Things(
                transaction: bought.id, restore: try await alice.restore().restoreIdentifier,
                download: try #require(bought.downloads.first).id)
            let nothing = Things(transaction: "t_nothing", restore: "r_nothing", download: "d_nothing")
            let strangers = [
                Asker(customer: bob.customer), Asker(customer: "c_nobody"),
                Asker(bundleId: "com.example.other", customer: alice.customer),
                // The same shopper in another app is another customer.
                try await other(store, "alice"),
            ]
            let before = (try await alice.changes(), try await alice.snapshot(), try await bob.changes())
            for (name, call) in Self.calls + Self.updates {
                for who in strangers {
                    let refused = try await refusal { try await call(store.caller, who, things) }
                    let missing = try await refusal { try await call(store.caller, who, nothing) }
                    #expect(refused?.code == .notFound, "\(name) as \(who)")
                    #expect(refused == missing, "\(name) as \(who)")
                }
            }
            let after = (try await alice.changes(), try await alice.snapshot(), try await bob.changes())
            #expect(before == after)
            // Their owner gets each of them; the finish comes last, because it takes the download away.
            let owner = Asker(customer: alice.customer)
            for (name, call) in Self.calls where name != "transaction.finish" {
                try await call(store.caller, owner, things)
            }
            _ = try await store.caller.call(PaymentEndpoints.finishTransaction, Self.request(owner, bought.id))
        }
    }

    @Test(arguments: Engine.allCases) func `P11: what no identifier names shows nothing of others either`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            _ = try await alice.add("guide", key: "k")
            _ = try await alice.add("pro.monthly", key: "s")
            _ = try await alice.restore()
            #expect(try await bob.snapshot() == Snapshot(transactions: [], seq: 0))
            #expect(try await bob.changes() == ChangesReply(changes: [], head: 0, snapshotRequired: false))
            #expect(try await bob.history().transactions.isEmpty)
            #expect(try await bob.offers().isEmpty)
            #expect(try await bob.restore().restored == 0)
            // The same key is another customer's own.
            let own = try await bob.add("guide", key: "k")
            #expect(!own.isReplayed)
            #expect(own.transaction.price == .usd("2.99"))
            let nobody = alice.named("c_nobody")
            #expect(try await refusal { try await nobody.changes() }?.code == .notFound)
            #expect(try await refusal { try await nobody.snapshot() }?.code == .notFound)
            #expect(try await refusal { try await nobody.history() }?.code == .notFound)
            #expect(try await refusal { try await nobody.offers() }?.code == .notFound)
            #expect(try await refusal { try await nobody.add("coins", key: "k") }?.code == .notFound)
            #expect(try await refusal { try await nobody.restore() }?.code == .notFound)
            #expect(try await refusal { try await nobody.account() }?.code == .notFound)
        }
    }
}
