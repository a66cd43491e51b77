import Persistence
import StoreModels

/// Has notifications signed, each once.
struct NotificationSigner: Sendable {
    /// Timeout of one request to the gateway.
    static let signTime: Duration = .seconds(5)

    let database: any SQLDatabase
    let sign:
        @Sendable (SignNotificationsRequest, ContinuousClock.Instant) async throws(StoreError) -> SignNotificationsReply

    /// Signs those of the notifications that are not signed, and keeps what was signed first.
    /// - Throws: ``StoreError`` when no gateway has replied, or it refuses a draft.
    func sign(_ uuids: [String], until deadline: ContinuousClock.Instant = .now + signTime) async throws {
        let drafts = try await database.read { try await NotificationRepository.drafts(of: uuids, in: $0) }
        for start in stride(from: 0, to: drafts.count, by: SignNotificationsRequest.draftsMax) {
            let some = Array(drafts[start..<min(start + SignNotificationsRequest.draftsMax, drafts.count)])
            let reply = try await sign(SignNotificationsRequest(drafts: some.map(\.shown)), deadline)
            guard reply.signedPayloads.count == some.count else {
                throw StoreError(.internal, "the gateway has signed another number of notifications")
            }
            try await database.write { transaction in
                for (draft, payload) in zip(some, reply.signedPayloads) {
                    try await NotificationRepository.setPayload(
                        payload, of: draft.notificationUUID, in: transaction)
                }
            }
        }
    }
}

extension NotificationDraft {
    /// The notification's UUID as clients see it.
    var shownUUID: String { NotificationUUID.exchanged(notificationUUID, of: bundleId) }

    /// The draft of what is signed, with ``shownUUID``.
    var shown: NotificationDraft {
        var draft = self
        draft.notificationUUID = shownUUID
        return draft
    }
}
