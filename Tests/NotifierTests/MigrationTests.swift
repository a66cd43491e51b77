import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import Notifier

/// Goal: a database of an earlier schema opens, keeps what it holds and does what is new.
@Suite(.serialized) struct MigrationTests {
    private static func notification(_ number: Int, _ state: String, payload: String?, due: Int64?) -> String {
        let draft = """
            {"bundleId":"com.example.app","notificationUUID":"uuid-\(number)","notificationType":"TEST",\
            "signedDate":"2027-03-01T10:00:00.000Z"}
            """
        return """
            INSERT INTO notification (uuid, bundle_id, customer_identifier, account, type, event_at, signed_at, state, draft,
                payload, attempts, due_at)
            VALUES ('uuid-\(number)', 'com.example.app', 'c_1', 'alice', 'TEST', 1803895200000, \(1_803_895_200_000 + number),
                '\(state)', '\(draft)', \(payload.map { "'\($0)'" } ?? "NULL"), \(payload == nil ? 0 : 1),
                \(due.map { "\($0)" } ?? "NULL"))
            """
    }

    /// One that was delivered, one that waits for its second attempt, and one that is not signed.
    private static let past = [
        #"INSERT INTO endpoint (bundle_id, body) VALUES ('com.example.app', '{"url":"http://localhost:9/","retry":"apple","timeoutMs":5000}')"#,
        notification(1, "delivered", payload: "TEST first x uuid-1", due: nil),
        notification(2, "retrying", payload: "TEST second x uuid-2", due: 1_803_895_200_000),
        notification(3, "pending", payload: nil, due: 1_803_895_200_000),
        """
        INSERT INTO attempt (id, uuid, number, attempted_at, result) VALUES ('n_1', 'uuid-1', 1, 1803895200000, 'SUCCESS')
        """,
        """
        INSERT INTO attempt (id, uuid, number, attempted_at, result) VALUES ('n_2', 'uuid-2', 1, 1803895200000, 'TIMED_OUT')
        """,
    ]

    @Test(arguments: Engine.allCases)
    func `payloads get a table of their own, and are sent and shown as they were signed`(_ engine: Engine) async throws
    {
        try await TestNotifier.with(engine, past: Self.past) { notifier in
            notifier.jump(to: "2027-03-01T11:00:00.000Z")
            #expect(try await notifier.settle() == 2)
            #expect(
                notifier.world.withLock(\.received) == [
                    "TEST second x uuid-2", "TEST - 2027-03-01T10:00:00.000Z uuid-3",
                ])
            let shown = try await notifier.service.notifications.get(
                NotificationRequest(bundleId: TestNotifier.bundleId, notificationUUID: "uuid-1"),
                deadline: .now + .seconds(5))
            #expect(shown.signedPayload == "TEST first x uuid-1")
            #expect(try await notifier.list().map(\.attempts.count) == [1, 2, 1])
            #expect(try await notifier.list().map(\.state) == [.delivered, .delivered, .delivered])
        }
    }
}
