import Persistence
import StoreModels

/// Handles `intent.clear`: before a purchase history is cleared, it cancels open intents.
///
/// It also removes the prompts for their app. Devices, installations and overrides stay.
extension IntentService {
    /// The feedback of open intents that the store cancels.
    static let clearFeedback = "the customer's purchases were cleared"
    /// Number of devices in one page of a clearing.
    static let clearPageSize = 256

    /// Cancels open intents. Repeating it continues unfinished work.
    /// - Throws: `serviceUnavailable` when the time was too short, or when more payments are on their way than one
    ///   request can name.
    func clear(_ request: ClearIntentsRequest, deadline: ContinuousClock.Instant) async throws -> ClearIntentsReply {
        let last = deadline - Self.replyMargin
        var (cancelled, after) = (0, "")
        while true {
            let start = after
            let devices = try await database.read {
                try await IntentRepository.devicesToClear(request, after: start, limit: Self.clearPageSize, in: $0)
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
            guard devices.count == Self.clearPageSize, let next = devices.last else { break }
            after = next
        }
        return ClearIntentsReply(cancelled: cancelled, continued: try await continued(request))
    }

    /// Clears one device in one commit, with its row locked as for each start.
    private func clear(_ request: ClearIntentsRequest, on deviceId: String) async throws -> Int {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: deviceId)
        let now = StorePurchaseIntent.Life.Now(wall: times.wall(), business: .earliest)
        return try await database.write { transaction in
            // The deletion of the device has cancelled its open intents.
            guard try await DeviceRepository.find(installation.device, in: transaction) != nil else { return 0 }
            _ = try await DeviceRepository.lock(installation.device, in: transaction)
            let commit = IntentTransaction(transaction: transaction, now: now)
            var count = 0
            for intent in try await IntentRepository.lockOpen(of: installation, in: transaction)
            where request.account?.isExactly(intent.account) ?? true {
                _ = try await commit.apply(.decided(.cancel, feedback: Self.clearFeedback), to: intent)
                count += 1
            }
            try await AppPromptRepository.removeAll(of: installation, account: request.account, in: transaction)
            return count
        }
    }

    /// Reads the continued intents, once all open ones are closed. Any other payment is in PaymentQueue already.
    private func continued(_ request: ClearIntentsRequest) async throws -> [String] {
        let most = ClearIntentsReply.continuedMax
        let continued = try await database.read { reader in
            try await IntentRepository.unaddedIdentifiers(request, limit: most + 1, in: reader)
        }
        guard continued.count <= most else {
            throw StoreError(
                .serviceUnavailable, "more than \(most) promoted purchases are on their way to payment-queue",
                retryAfterMs: 5_000)
        }
        return continued
    }
}
