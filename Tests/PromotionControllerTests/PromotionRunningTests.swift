import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: the jobs beside the endpoints do their work by themselves and end in order.
@Suite(.serialized) struct PromotionRunningTests {
    @Test(arguments: Engine.allCases)
    func `the sweep runs without a request, then the database is closed`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let (paid, unanswered) = (try await alice.begin("coins"), try await alice.begin("gems"))
            try await alice.deliver()
            await store.stopPayments()
            try await alice.decide(.continue, paid)
            store.wait(.seconds(10))
            try await store.startPayments()
            let database = store.database
            let running = store.current.service
            let run = Task { try await running.run() }
            try await eventually("the janitor has done it", within: .seconds(20)) {
                try await database.read { reader in
                    let (first, second) = (
                        try await IntentRepository.find(paid, in: reader),
                        try await IntentRepository.find(unanswered, in: reader)
                    )
                    return first?.life.isAdded == true && second?.life.state == .deferred
                }
            }
            run.cancel()
            _ = await run.result
            #expect(try await refusal { try await alice.get(paid) }?.code == .serviceUnavailable)
        }
    }

    @Test(arguments: Engine.allCases)
    func `after thirty days events and decided intents go, open ones and unpaid ones stay`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            // The app's own clock is frozen, so nothing expires.
            store.payments.moveClock(by: .zero)
            let (cancelled, paid) = (try await alice.begin("a"), try await alice.begin("b"))
            try await alice.decide(.cancel, cancelled)
            try await alice.decide(.continue, paid)
            let unpaid = try await alice.begin("c")
            await store.stopPayments()
            try await alice.decide(.continue, unpaid)
            let open = try await alice.begin("d")
            let intents = store.current.service.intents
            store.wait(.seconds(30 * 86_400))
            #expect(try await intents.prune() == 0)
            store.wait(.milliseconds(1))
            let begun = try await alice.begin("e")
            #expect(try await intents.prune() > 4)
            let left = try await store.database.read { reader in
                try await reader.query("SELECT intent_identifier FROM purchase_intent ORDER BY intent_identifier")
                    .map { try $0["intent_identifier"] as String }
            }
            #expect(Set(left) == [unpaid, open, begun])
            // What comes after has a place behind what has gone.
            let position = try await store.position()
            _ = try await alice.begin("f")
            #expect(try await !store.events(after: position, count: 1).isEmpty)
        }
    }

    @Test func `what is due is found without looking through all intents`() async throws {
        try await PromotionTestStore.with { store in
            func plan(_ sql: String, _ arguments: any SQLValueConvertible...) async throws -> String {
                try await store.database.read { reader in
                    try await reader.query("EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
                        .map { try $0["detail"] as String }
                }.joined(separator: "; ")
            }
            let unanswered = try await plan(
                "SELECT * FROM purchase_intent WHERE state = 'pending' AND answer_by <= ? ORDER BY answer_by LIMIT ?",
                Int64(1), 1)
            #expect(unanswered.contains("purchase_intent_unanswered"))
            let expired = try await plan(
                """
                SELECT * FROM purchase_intent
                WHERE bundle_id = ? AND expires_at <= ? AND state IN ('pending', 'deferred') ORDER BY expires_at LIMIT ?
                """, "a", Int64(1), 1)
            #expect(expired.contains("purchase_intent_expiring"))
            let apps = try await plan(IntentRepository.nextAppSQL, "a")
            #expect(apps.hasPrefix("SEARCH") && apps.contains("purchase_intent_expiring") && !apps.contains("B-TREE"))
            let unadded = try await plan(
                """
                SELECT * FROM purchase_intent WHERE state = 'continued' AND is_added = 0 AND intent_identifier > ?
                ORDER BY intent_identifier LIMIT ?
                """, "", 1)
            #expect(unadded.contains("purchase_intent_unadded"))
            let open = try await plan(
                """
                SELECT * FROM purchase_intent WHERE device_id = ? AND bundle_id = ? AND state IN ('pending', 'deferred')
                ORDER BY intent_identifier
                """, "d", "b")
            #expect(open.contains("purchase_intent_open"))
        }
    }
}
