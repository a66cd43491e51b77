import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a caller that waits for events gets all of them, in the order of the commits, at the cost of what is there.
@Suite(.serialized) struct EventTests {
    @Test func `without a position nothing has happened yet; from it on everything comes in order`() async throws {
        try await TestStore.with { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            _ = try await alice.add("coins", key: "before")
            let start = try await store.events(after: nil)
            #expect(start.events.isEmpty)
            #expect(try await store.events(after: start.after) == start)
            let first = try await alice.add("coins", key: "k").transaction
            try await alice.finish(first.id)
            let second = try await bob.add("nothing", key: "k").transaction
            let reply = try await store.events(after: start.after)
            #expect(reply.events.map(\.type) == [.purchasing, .purchased, .finished, .purchasing, .failed])
            #expect(reply.events.map(\.account) == ["alice", "alice", "alice", "bob", "bob"])
            #expect(reply.events[1].transaction == first)
            #expect(reply.events[4].transaction == second)
            #expect(reply.events.map(\.bundleId).allSatisfy { $0 == Catalogue.bundleId })
            #expect(reply.events.map(\.id) == reply.events.map(\.id).sorted())
            #expect(reply.after == reply.events.last?.id)
            // A position survives the process, and each event's identifier is one.
            try await store.restartQueue()
            let rest = try await store.events(after: reply.events[2].id)
            #expect(rest.events == Array(reply.events[3...]))
            #expect(rest.after == reply.after)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an event has the app's time when it happened, also one that fell due on the way of a move`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp("alice")
            let start = try await store.position()
            let bought = try await alice.add("news.weekly", key: "k").transaction
            try await store.jump(by: "15d")
            try await alice.finish(bought.id)
            let events = try await store.events(after: start, count: 5)
            #expect(
                events.map { "\($0.at.description.prefix(10)) \($0.type)" } == [
                    "2027-01-31 purchasing", "2027-01-31 purchased", "2027-02-07 purchased", "2027-02-14 purchased",
                    "2027-02-15 finished",
                ])
        }
    }

    @Test func `type, account and app each leave out what does not match, and the position goes on`() async throws {
        try await TestStore.with { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let start = try await store.events(after: nil).after
            for customerApp in [alice, bob] {
                _ = try await customerApp.add("coins", key: "1")
                _ = try await customerApp.add("nothing", key: "2")
            }
            let failed = try await store.events(after: start, type: .failed)
            #expect(failed.events.map(\.account) == ["alice", "bob"])
            let mine = try await store.events(after: start, type: .purchased, account: "bob")
            #expect(mine.events.map(\.account) == ["bob"])
            let other = try await store.events(after: start, bundleId: "com.example.b")
            #expect(other.events.isEmpty)
            #expect([mine.after, other.after].allSatisfy { $0 == failed.after })
            #expect(failed.after > start)
            // A full page ends at its last event; what matches behind it is on the next one.
            let one = try await store.events(after: start, type: .failed, limit: 1)
            #expect(one.after == one.events.first?.id)
            let two = try await store.events(after: one.after, type: .failed, limit: 1)
            #expect([one, two].flatMap(\.events) == failed.events)
        }
    }

    @Test func `deferred is an event, a removal by the operator is none`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            let start = try await store.events(after: nil).after
            _ = try await alice.add("coins", key: "k")
            try await store.clear()
            #expect(try await store.events(after: start).events.map(\.type) == [.purchasing, .deferred])
            #expect(try await alice.changes().changes.map(\.kind) == [.updated, .updated, .removed])
        }
    }

    @Test func `one call looks at a thousand events, and the next goes on behind them`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            let start = try await store.events(after: nil).after
            let bought = try await alice.add("coins", key: "k").transaction
            // Two thousand more of the purchase's first event, as a busy store would have them.
            try await store.database.write { transaction in
                for number in 3...2002 {
                    try await transaction.execute(
                        """
                        INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body,
                            happened_at, written_at, event)
                        SELECT bundle_id, customer_identifier, ?, transaction_id, revision, kind, body, happened_at,
                            written_at, event
                        FROM journal WHERE seq = 1
                        """, number)
                }
                try await transaction.execute("UPDATE customer SET head_seq = 2002")
            }
            try await alice.finish(bought.id)
            var (position, calls) = (start, 0)
            var events: [StoreEvent] = []
            repeat {
                let reply = try await store.events(after: position, type: .finished)
                (position, calls, events) = (reply.after, calls + 1, events + reply.events)
            } while events.isEmpty && calls < 10
            #expect(calls == 3)
            #expect(events.map(\.transaction.id) == [bought.id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `after 30 days events are pruned, and only a position behind them goes on`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let start = try await store.position()
            _ = try await alice.add("coins", key: "1")
            let first = try await store.events(after: start, count: 2)
            let last = try #require(first.last?.id)
            store.advance(by: .seconds(31 * 86_400))
            _ = try await alice.add("coins", key: "2")
            #expect(try await store.events(after: start, count: 4).count == 4, "nothing is removed yet")
            for removed in [2, 0] {
                #expect(try await store.current.service.pruner.prune() == removed)
                for position in [start, first[0].id] {
                    let error = try await refusal { try await store.events(after: position) }
                    #expect(error?.code == .requestInvalid)
                    #expect(error?.positionFault == .removed)
                }
                let rest = try await store.events(after: last, count: 2)
                #expect(rest.map(\.transaction.payment.requestIdentifier) == ["2", "2"])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the last events are those that were listed, and their position goes on without a gap`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            #expect(try await store.lastEvents().events.isEmpty)
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let start = try await store.position()
            for number in 0..<3 {
                let bought = try await alice.add("coins", key: "\(number)").transaction
                _ = try await bob.add("nothing", key: "\(number)")
                try await alice.finish(bought.id)
            }
            let all = try await store.events(after: start, count: 15)
            #expect(all.count == 15)
            for limit in [1, 4, 15, 500] {
                let last = try await store.lastEvents(limit: limit)
                #expect(last.events == Array(all.suffix(limit)))
                #expect(try await store.events(after: last.after).events.isEmpty)
                let ofApp = try await store.lastEvents(bundleId: Catalogue.bundleId, limit: limit)
                #expect(ofApp.events == last.events)
                for account in ["alice", "bob"] {
                    let own = Array(all.filter { $0.account == account }.suffix(limit))
                    #expect(try await store.lastEvents(account: account, limit: limit).events == own)
                    let inApp = try await store.lastEvents(
                        account: account, bundleId: Catalogue.bundleId, limit: limit)
                    #expect(inApp.events == own)
                }
            }
            #expect(try await store.lastEvents(account: "carol").events.isEmpty)
            #expect(try await store.lastEvents(bundleId: "com.example.b").events.isEmpty)
            let after = try await store.lastEvents().after
            let later = try await alice.add("coins", key: "later").transaction
            let events = try await store.events(after: after, count: 2)
            #expect(events.map(\.transaction.id) == [later.id, later.id])
            for limit in [0, 501] {
                #expect(try await refusal { try await store.lastEvents(limit: limit) }?.code == .requestInvalid)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the installation's last events are those of all its apps, and no isolated store's`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let isolated = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42).bundleId
            let apps = [Catalogue.bundleId, isolated, "com.example.app-2", "com.example.appA", "com.example.b"]
            let start = try await store.position()
            for (number, bundleId) in (apps + apps).enumerated() {
                let account = try await store.caller.call(
                    PaymentEndpoints.openAccount,
                    OpenAccountRequest(bundleId: bundleId, account: "alice", deviceId: "phone"))
                _ = try await store.caller.call(
                    PaymentEndpoints.addPayment,
                    AddPaymentRequest(
                        bundleId: bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                        payment: Payment(requestIdentifier: "\(number)", productIdentifier: "nothing")))
            }
            let all = try await store.events(after: start, count: 16)
            #expect(Set(all.map(\.bundleId)) == Set(apps).subtracting([isolated]))
            #expect(try await store.lastEvents().events == all)
            #expect(try await store.lastEvents(account: "alice").events == all)
            #expect(try await store.lastEvents(limit: 3).events == Array(all.suffix(3)))
            for bundleId in apps {
                let own = try await store.lastEvents(bundleId: bundleId)
                #expect(own.events.map(\.bundleId) == Array(repeating: IsolatedApp.shown(bundleId), count: 4))
                #expect(Set(own.events.map(\.id)).isDisjoint(with: all.map(\.id)) == (bundleId == isolated))
                #expect(try await store.lastEvents(account: "alice", bundleId: bundleId).events == own.events)
            }
        }
    }

    @Test(arguments: [
        "", "e_", "1", "e_0000000000zzz", "e_00000000000000z00000000000", "e_zzzzzzzzzzzzzzzzzzzzzzzzzz",
        "e_000000000000000000000000!0", "t_00000000000000000000000000",
    ])
    func `a position that is none, or of another store, is requestInvalid`(_ after: String) async throws {
        try await TestStore.with { store in
            let error = try await refusal { try await store.events(after: after) }
            #expect(error?.code == .requestInvalid)
            #expect(error?.details["path"] == .string("$.after"))
        }
    }
}
