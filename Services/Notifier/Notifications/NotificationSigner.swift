import Persistence
import StoreModels

/// Signs notifications at the gateway, each once.
struct NotificationSigner: Sendable {
    /// Timeout of one request to the gateway.
    static let signTime: Duration = .seconds(5)

    let database: any SQLDatabase
    let sign:
        @Sendable (SignNotificationsRequest, ContinuousClock.Instant) async throws(StoreError) -> SignNotificationsReply

    /// Signs the unsigned notifications, and keeps the payload that was signed first.
    /// - Throws: ``StoreError`` when the gateways do not reply, or one refuses a draft.
    func sign(_ positions: [Int64], until deadline: ContinuousClock.Instant = .now + signTime) async throws {
        let drafts = try await database.read { try await NotificationRepository.drafts(of: positions, in: $0) }
        for start in stride(from: 0, to: drafts.count, by: SignNotificationsRequest.draftsMax) {
            let some = Array(drafts[start..<min(start + SignNotificationsRequest.draftsMax, drafts.count)])
            let reply = try await sign(SignNotificationsRequest(drafts: some.map(\.draft)), deadline)
            guard reply.signedPayloads.count == some.count else {
                throw StoreError(.internal, "the gateway has signed another number of notifications")
            }
            try await database.write { transaction in
                for (one, payload) in zip(some, reply.signedPayloads) {
                    try await NotificationRepository.setPayload(payload, of: one.position, in: transaction)
                }
            }
        }
    }
}
