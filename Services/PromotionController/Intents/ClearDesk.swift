import Persistence
import StoreModels

/// `intent.clear`: before what customers have bought is cleared away, what has begun in the store and is open is
/// cancelled, with the prompts for its app. Devices, installations and overrides stay.
struct ClearDesk: Sendable {
    /// Why the store cancels what was open.
    static let feedback = "what was bought was cleared"
    /// Devices of one look.
    static let pageSize = 256

    let database: any SQLDatabase
    let times: AppTimes

    /// Again does what was left undone.
    /// - Throws: `serviceUnavailable` when the time was too short, or with more payments on their way than one request
    ///   can name.
    func clear(_ request: ClearIntentsRequest, deadline: ContinuousClock.Instant) async throws -> ClearIntentsReply {
        let last = deadline - DecisionDesk.replyMargin
        var (cancelled, after) = (0, "")
        while true {
            let start = after
            let devices = try await database.read {
                try await ClearRepository.devices(request, after: start, limit: Self.pageSize, in: $0)
            }
            for deviceId in devices {
                guard ContinuousClock.now < last else {
                    throw StoreError(
                        .serviceUnavailable,
                        "\(cancelled) purchases that began in the store are cancelled and more are left; send it again",
                        retryAfterMs: 0)
                }
                cancelled += try await clear(request, on: deviceId)
            }
            guard devices.count == Self.pageSize, let next = devices.last else { break }
            after = next
        }
        return ClearIntentsReply(cancelled: cancelled, continued: try await continued(request))
    }

    /// One device is one commit, with its row locked like for everything that begins on it.
    private func clear(_ request: ClearIntentsRequest, on deviceId: String) async throws -> Int {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: deviceId)
        let now = PurchaseIntent.Life.Now(wall: times.wall(), business: .distantPast)
        return try await database.write { transaction in
            // Whoever deletes a device cancels what is open on it.
            guard try await DeviceRepository.find(deviceId, in: transaction) != nil else { return 0 }
            _ = try await DeviceRepository.lock(deviceId, in: transaction)
            let commit = IntentCommit(transaction: transaction, now: now)
            var count = 0
            for intent in try await IntentRepository.lockOpen(of: installation, in: transaction)
            where request.account?.isExactly(intent.account) ?? true {
                _ = try await commit.apply(.decided(.cancel, feedback: Self.feedback), to: intent)
                count += 1
            }
            try await PromptRepository.removeAll(of: installation, account: request.account, in: transaction)
            return count
        }
    }

    /// Read when nothing is open any more: what was continued until then is named here, or PaymentQueue has it.
    private func continued(_ request: ClearIntentsRequest) async throws -> [String] {
        let most = ClearIntentsReply.continuedMax
        let continued = try await database.read { reader in
            try await ClearRepository.unadded(request, limit: most + 1, in: reader)
        }
        guard continued.count <= most else {
            throw StoreError(
                .serviceUnavailable, "more than \(most) promoted purchases are on their way to payment-queue",
                retryAfterMs: 5_000)
        }
        return continued
    }
}
