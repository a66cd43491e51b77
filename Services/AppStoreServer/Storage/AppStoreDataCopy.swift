import Persistence
import ServiceDatabase
import StoreModels

/// Copies an isolated store's endpoint, faults and notifications with their attempts into another store.
///
/// The copy's app and key are made by `signing.openStore`.
struct AppStoreDataCopy: Sendable {
    private static let notifications = StoreCopy.Table(
        "notification", filled: ["position"],
        // The events that they were made of are the other store's.
        values: ["source": .null])
    private static let payloads = StoreCopy.Table("notification_payload")
    private static let attempts = StoreCopy.Table("attempt")

    let database: any SQLDatabase
    /// Imports PaymentQueue's events until now, and reads an app's clock.
    let clock: @Sendable (_ bundleId: String) async throws -> DeliveryClock

    /// Copies the store's rows in one commit.
    /// - Throws: `requestInvalid`, or `serviceUnavailable` while an attempt is due or under way.
    func copy(_ request: CopyAppRequest, deadline: ContinuousClock.Instant) async throws -> Empty {
        let copy = try StoreCopy(request)
        let now = try await clock(request.from).now
        return try await StoreCopy.commit(in: database, until: deadline) { transaction in
            // Replicas lock it before they claim a notification.
            let endpoint = try await EndpointRepository.lock(request.from, in: transaction)
            try await checkIsIdle(request.from, at: endpoint?.isListen == false ? now : nil, in: transaction)
            try await Self.copyRows(copy, in: transaction)
            return Empty()
        }
    }

    static func copyRows(_ copy: StoreCopy, in transaction: SQLTransaction) async throws {
        try await copy.copy(StoreCopy.Table("endpoint"), in: transaction)
        try await copy.copy(StoreCopy.Table("server_api_fault", filled: ["position"]), in: transaction)
        for row in try await copy.rows(of: notifications, in: transaction) {
            let position: Int64 = try row["position"]
            let copied = try await copy.insert(row, into: notifications, numberedBy: "position", in: transaction)
            try await copyParts(of: position, to: copied, copy, in: transaction)
        }
    }

    private static func copyParts(
        of position: Int64, to copied: Int64, _ copy: StoreCopy, in transaction: SQLTransaction
    ) async throws {
        let payload = try await transaction.startAll("SELECT * FROM notification_payload WHERE position = ?", position)
        let attempts = try await transaction.startAll(
            "SELECT * FROM attempt WHERE position = ? ORDER BY number", position)
        for row in try await payload.rows() {
            try await copy.insert(row, into: payloads, values: ["position": .integer(copied)], in: transaction)
        }
        for row in try await attempts.rows() {
            try await copy.insert(row, into: Self.attempts, values: ["position": .integer(copied)], in: transaction)
        }
    }

    /// - Parameter now: The app's clock if AppStoreServer makes the attempts. Nil without an endpoint, or if a listener
    ///   makes them.
    private func checkIsIdle(_ bundleId: String, at now: Timestamp?, in reader: SQLReader) async throws {
        var isBusy = try await NotificationRepository.claimedCount(of: bundleId, in: reader) > 0
        if let now { isBusy = try await NotificationRepository.pending(of: bundleId, through: now, in: reader) > 0 }
        guard !isBusy else {
            throw StoreError(
                .serviceUnavailable, "the store is not idle: a notification is being sent", retryAfterMs: 0)
        }
    }
}
