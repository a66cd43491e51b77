import BusService
import EventLoop
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles the `intent.…` subjects, and does due work without a request.
///
/// The subjects are `.deliver`, `.heads`, `.get`, `.list`, `.search`, `.decide`, `.add` and `.clear`. Replies show the
/// intents' state at the time of the request, even if the sweep is late.
struct IntentService: Sendable {
    /// Maximum number of intents in one page.
    static let pageMax = 100
    /// Time reserved for recording PaymentQueue's reply and sending this one.
    static let replyMargin: Duration = .milliseconds(300)

    let database: any SQLDatabase
    let times: AppTimes
    let collaborators: PromotionCollaborators
    let checkpoint: DecisionCheckpointHook
    let logger: Logger
    /// Intents whose payment a request of this process is adding now. The sweep skips them.
    let paymentsInFlight = Locked<Set<ExactText>>([])
    let retries = RetrySweep(concurrency: paymentConcurrency)

    /// Delivers all pending intents to a stream. The first delivery starts `answerBy`.
    ///
    /// It skips an app that was never launched (I6), and a version that does not handle promoted purchases (M75).
    func deliver(
        _ request: DeliverIntentsRequest, deadline: ContinuousClock.Instant
    ) async throws -> DeliverIntentsReply {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let found = try await database.read { reader in
            (
                seq: try await IntentHeadRepository.find(installation, in: reader),
                version: try await InstallationRepository.find(installation, in: reader)?.launchedVersion,
                open: try await IntentRepository.open(
                    of: installation, customer: request.customerIdentifier, in: reader)
            )
        }
        guard found.open.contains(where: { $0.life.state == .pending }) else {
            return DeliverIntentsReply(intents: [], seq: found.seq)
        }
        // The launch of this stream is not recorded yet. A smaller number makes the stream ask again.
        guard let version = found.version else { return DeliverIntentsReply(intents: [], seq: found.seq - 1) }
        let now = try await times.now(of: request.bundleId, deadline: deadline)
        var open = found.open
        if open.contains(where: { $0.isNews(to: version, at: now) }) {
            open = try await database.write { transaction in
                try await deliver(
                    installation, request.customerIdentifier, IntentTransaction(transaction: transaction, now: now))
            }
        }
        let pending = open.filter { $0.life.state == .pending && $0.isHandled(by: version) }.map(\.intent)
        let page = try ReplyBudget.fitting(pending)
        // A smaller number makes the stream ask again for the intents that did not fit.
        return DeliverIntentsReply(intents: page, seq: page.count < pending.count ? found.seq - 1 : found.seq)
    }

    /// Delivers with the device locked. An app that is being deleted gets no intents, and its time does not begin (I6).
    private func deliver(
        _ installation: InstallationReference, _ customer: String, _ commit: IntentTransaction
    ) async throws -> [StoredIntent] {
        _ = try await DeviceRepository.lock(installation.device, in: commit.transaction)
        guard
            let version = try await InstallationRepository.find(installation, in: commit.transaction)?.launchedVersion
        else { return [] }
        var open: [StoredIntent] = []
        for locked in try await IntentRepository.lockOpen(
            of: installation, customer: customer, in: commit.transaction)
        {
            let intent = try await commit.settle(locked)
            guard intent.isHandled(by: version) else { continue }
            open.append(try await commit.apply(.delivered, to: intent).intent)
        }
        return open
    }

    /// Reads the numbers of installations.
    /// - Throws: `requestInvalid` for too many installations.
    func heads(_ request: IntentHeadsRequest) async throws -> IntentHeadsReply {
        guard request.installations.count <= IntentHeadsRequest.installationsMax else {
            throw DeviceRules.invalid(
                "$.installations", "has at most \(IntentHeadsRequest.installationsMax) installations")
        }
        let heads = try await database.read { try await IntentHeadRepository.heads(request.installations, in: $0) }
        return IntentHeadsReply(heads: request.installations.map { heads[$0] ?? 0 })
    }

    /// Reads a customer's intent on one device.
    /// - Throws: `notFound`, also for another device's or customer's intent.
    func get(_ request: IntentRequest, deadline: ContinuousClock.Instant) async throws -> StorePurchaseIntent {
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let found = try await database.read { try await IntentRepository.find(request.intentIdentifier, in: $0) }
        guard let found, found.belongs(to: installation, request.customerIdentifier) else {
            throw StoreError.noIntent(request.intentIdentifier)
        }
        guard !found.life.state.isFinal else { return found.intent }
        let now = try await times.now(of: request.bundleId, deadline: deadline)
        var life = found.life
        guard !life.pass(to: now).isEmpty else { return found.intent }
        return try await database.write { transaction in
            guard let locked = try await IntentRepository.lock(found.id, in: transaction) else { return found.intent }
            return try await IntentTransaction(transaction: transaction, now: now).settle(locked).intent
        }
    }

    /// Lists a customer's intents on one installation.
    /// - Throws: `requestInvalid`.
    func list(_ request: IntentsRequest, deadline: ContinuousClock.Instant) async throws -> IntentsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        try await settle(app: request.bundleId, deadline: deadline)
        let rows = try await database.read { try await IntentRepository.list(request, in: $0) }
        return try page(rows, limit: request.limit, \.intent)
    }

    /// Lists intents for the operator, with their customers and warnings.
    /// - Throws: `requestInvalid`.
    func search(_ request: IntentListRequest, deadline: ContinuousClock.Instant) async throws -> IntentsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        try await settle(app: request.bundleId, deadline: deadline)
        let rows = try await database.read { try await IntentRepository.search(request, in: $0) }
        return try page(rows, limit: request.limit, \.record)
    }

    private func page(
        _ rows: [StoredIntent], limit: Int, _ shown: (StoredIntent) -> StorePurchaseIntent
    ) throws -> IntentsPage {
        let page = try ReplyBudget.fitting(rows.prefix(limit).map(shown))
        return IntentsPage(intents: page, after: page.count == rows.count ? nil : page.last?.intentIdentifier)
    }
}

extension StoredIntent {
    /// Tells whether the running version handles promoted purchases.
    fileprivate func isHandled(by version: String) -> Bool {
        !PromotionSupport.isTooOld(appVersion: version, since: supportedSince)
    }

    /// Tells whether a delivery, or the time, changes the intent.
    fileprivate func isNews(to version: String, at now: StorePurchaseIntent.Life.Now) -> Bool {
        var life = life
        guard life.pass(to: now).isEmpty else { return true }
        return life.state == .pending && life.answerBy == nil && isHandled(by: version)
    }
}

extension StoreError {
    static func noIntent(_ identifier: String) -> StoreError { StoreError(.notFound, "no intent '\(identifier)'") }
}
