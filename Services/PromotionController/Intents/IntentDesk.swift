import BusService
import Persistence
import StoreModels

/// `intent.deliver`, `.heads`, `.get`, `.list` and `.search`: what streams, apps and operators are told of intents.
/// Whatever is told is as time has made it by then, however late the janitor is.
struct IntentDesk: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase
    let times: AppTimes
    let settler: IntentSettler

    /// All that is pending for a stream; from the first time on `answerBy` runs. An app that was never launched gets
    /// nothing (I6), nor does a version that does not handle promoted purchases (M75).
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
        // There is a stream and no launch: nobody could tell of it yet. An old number makes the stream ask again.
        guard let version = found.version else { return DeliverIntentsReply(intents: [], seq: found.seq - 1) }
        let now = try await times.now(of: request.bundleId, deadline: deadline)
        var open = found.open
        if open.contains(where: { $0.isNews(to: version, at: now) }) {
            open = try await database.write { transaction in
                try await deliver(
                    installation, request.customerIdentifier, IntentCommit(transaction: transaction, now: now))
            }
        }
        let pending = open.filter { $0.life.state == .pending && $0.isHandled(by: version) }.map(\.intent)
        let page = try ReplyBudget.fitting(pending)
        // Fewer than there are: the stream has to ask again, which an old number makes it do.
        return DeliverIntentsReply(intents: page, seq: page.count < pending.count ? found.seq - 1 : found.seq)
    }

    /// With the device locked: an app that is being deleted is asked nothing, and its time does not begin (I6).
    private func deliver(
        _ installation: InstallationReference, _ customer: String, _ commit: IntentCommit
    ) async throws -> [StoredIntent] {
        _ = try await DeviceRepository.lock(installation.deviceId, in: commit.transaction)
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

    /// - Throws: `requestInvalid` for too many installations.
    func heads(_ request: IntentHeadsRequest) async throws -> IntentHeadsReply {
        guard request.installations.count <= IntentHeadsRequest.installationsMax else {
            throw DeviceRules.invalid(
                "$.installations", "has at most \(IntentHeadsRequest.installationsMax) installations")
        }
        let heads = try await database.read { try await IntentHeadRepository.heads(request.installations, in: $0) }
        return IntentHeadsReply(heads: request.installations.map { heads[$0] ?? 0 })
    }

    /// - Throws: `notFound`, also for another device's or customer's.
    func get(_ request: IntentRequest, deadline: ContinuousClock.Instant) async throws -> PurchaseIntent {
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
            return try await IntentCommit(transaction: transaction, now: now).settle(locked).intent
        }
    }

    /// - Throws: `requestInvalid`.
    func list(_ request: IntentsRequest, deadline: ContinuousClock.Instant) async throws -> IntentsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        try await settler.settle(app: request.bundleId, deadline: deadline)
        let rows = try await database.read { try await IntentRepository.list(request, in: $0) }
        return try page(rows, limit: request.limit, \.intent)
    }

    /// The operator's: with whose each is, and what to look at.
    /// - Throws: `requestInvalid`.
    func search(_ request: IntentListRequest, deadline: ContinuousClock.Instant) async throws -> IntentsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        try await settler.settle(app: request.bundleId, deadline: deadline)
        let rows = try await database.read { try await IntentRepository.search(request, in: $0) }
        return try page(rows, limit: request.limit, \.record)
    }

    private func page(
        _ rows: [StoredIntent], limit: Int, _ shown: (StoredIntent) -> PurchaseIntent
    ) throws -> IntentsPage {
        let page = try ReplyBudget.fitting(rows.prefix(limit).map(shown))
        return IntentsPage(intents: page, after: page.count == rows.count ? nil : page.last?.intentIdentifier)
    }
}

extension StoredIntent {
    /// Whether the version that runs handles promoted purchases.
    fileprivate func isHandled(by version: String) -> Bool {
        !PromotionSupport.isTooOld(appVersion: version, since: supportedSince)
    }

    /// Whether delivering it, or the time, changes anything.
    fileprivate func isNews(to version: String, at now: PurchaseIntent.Life.Now) -> Bool {
        var life = life
        guard life.pass(to: now).isEmpty else { return true }
        return life.state == .pending && life.answerBy == nil && isHandled(by: version)
    }
}

extension StoreError {
    static func noIntent(_ identifier: String) -> StoreError { StoreError(.notFound, "no intent '\(identifier)'") }
}
