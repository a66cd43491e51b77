import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `subscription.extend`, `.extendMass` and `.extendStatus`: extensions that apps' servers ask for.
///
/// An extension of all subscriptions of a product is a row. Each subscription is decided about in a commit of its own,
/// which moves the row's position. If a process dies, any other continues, without repeating a decision.
struct ExtensionService: Sendable {
    /// Maximum number of subscriptions that a request decides about before its reply.
    static let repliedMax = 200
    /// Number of subscriptions read at once.
    static let batch = 50
    /// Number of requests that one sweep works on.
    static let sweepMax = 20
    /// Timeout of one request's part of a sweep.
    static let sweepTime: Duration = .seconds(20)
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Maximum number of bytes of a request identifier.
    static let requestIdentifierMax = 128

    let subscriptions: SubscriptionService
    let logger: Logger

    private var renewals: RenewalService { subscriptions.renewals }

    // MARK: One subscription

    /// Extends a subscription's present period, once per request identifier.
    /// - Throws: `requestInvalid`, `notFound`, also for another app's, or `serviceUnavailable` while a renewal has to
    ///   end first.
    func extend(
        _ request: ExtendSubscriptionRequest, deadline: ContinuousClock.Instant
    ) async throws -> ExtendSubscriptionReply {
        try Self.check(days: request.days, request.requestIdentifier)
        let isShared =
            try await renewals.database.read { reader in
                try await TransactionRepository.find(
                    identifier: request.originalTransactionIdentifier, ofApp: request.bundleId, in: reader)?.terms?
                    .shared
            } != nil
        guard !isShared else { return ExtendSubscriptionReply(outcome: .familyShared) }
        let due = try await subscriptions.current(until: deadline - PurchaseService.replyMargin) { reader in
            let found = try await ExtensionRepository.subscription(
                request.originalTransactionIdentifier, bundleId: request.bundleId, in: reader)
            guard let found else { throw Self.notFound(request.originalTransactionIdentifier) }
            return found
        }
        return try await subscriptions.commit(
            due.value, asking: CustomerState.lookups(extending: due.value, request: request.requestIdentifier),
            until: deadline
        ) { state, known in
            try state.extend(known, days: request.days, request: request.requestIdentifier)
        }
    }

    private static func check(days: Int, _ requestIdentifier: String) throws(StoreError) {
        guard (1...SubscriptionService.daysMax).contains(days) else {
            throw StoreError(
                .requestInvalid, "days must be 1 to \(SubscriptionService.daysMax)",
                details: ["path": .string("$.days")])
        }
        guard (1...requestIdentifierMax).contains(requestIdentifier.utf8.count) else {
            throw StoreError(
                .requestInvalid, "requestIdentifier must have 1 to \(requestIdentifierMax) bytes",
                details: ["path": .string("$.requestIdentifier")])
        }
    }

    private static func notFound(_ identifier: String) -> StoreError {
        StoreError(.notFound, "subscription '\(identifier)' not found")
    }

    // MARK: All subscriptions of a product

    /// Writes a request and decides about the first subscriptions.
    /// - Throws: `requestInvalid`, also for a request identifier that was used with other members.
    func extendAll(
        _ request: ExtendSubscriptionsRequest, deadline: ContinuousClock.Instant
    ) async throws -> SubscriptionExtensions {
        try Self.check(days: request.days, request.requestIdentifier)
        let key = SubscriptionExtensionsRequest(
            bundleId: request.bundleId, productIdentifier: request.productIdentifier,
            requestIdentifier: request.requestIdentifier)
        let stored = try await renewals.database.write { transaction in
            try await ExtensionRepository.insert(request, wall: renewals.clock.wall(), in: transaction)
            guard let stored = try await ExtensionRepository.find(key, in: transaction) else {
                throw StoreError(.internal, "an extension vanished while it was being made")
            }
            return stored
        }
        guard stored.request == with(request, { $0.only = nil }) else {
            throw StoreError(
                .requestInvalid, "requestIdentifier '\(request.requestIdentifier)' was used for another extension",
                details: ["path": .string("$.requestIdentifier")])
        }
        // The sweep goes on with what is left, and with what cannot be decided now.
        await run(key, max: Self.repliedMax, until: deadline - PurchaseService.replyMargin)
        return try await status(key)
    }

    /// Reads the progress of a request.
    /// - Throws: `notFound`.
    func status(_ request: SubscriptionExtensionsRequest) async throws -> SubscriptionExtensions {
        let stored = try await renewals.database.read { reader in
            try await ExtensionRepository.find(request, in: reader)
        }
        guard let stored else {
            throw StoreError(.notFound, "extension '\(request.requestIdentifier)' not found")
        }
        return stored.wire
    }

    /// Continues the incomplete requests.
    /// - Returns: The number of incomplete requests.
    @discardableResult
    func sweep() async throws -> Int {
        let open = try await renewals.database.read { reader in
            try await ExtensionRepository.open(limit: Self.sweepMax, in: reader)
        }
        for stored in open where !Task.isCancelled {
            await run(stored.key, max: .max, until: .now + Self.sweepTime)
        }
        return open.count
    }

    /// Decides about at most `max` subscriptions. The next sweep tries failed ones again.
    private func run(
        _ key: SubscriptionExtensionsRequest, max: Int, until last: ContinuousClock.Instant
    ) async {
        var left = max
        do {
            while left > 0, ContinuousClock.now < last, !Task.isCancelled {
                let limit = min(Self.batch, left)
                let (stored, page) = try await renewals.database.read { reader in
                    guard let stored = try await ExtensionRepository.find(key, in: reader), stored.completedAt == nil
                    else { return (nil as StoredMassExtension?, [DueSubscription]()) }
                    return (
                        stored, try await ExtensionRepository.next(stored, limit: limit, in: reader)
                    )
                }
                guard var stored else { return }
                guard !page.isEmpty else { return try await complete(stored) }
                for due in page where ContinuousClock.now < last {
                    guard try await decide(about: due, stored, until: last) else { return }
                    (stored.position, left) = (due.value.originalID, left - 1)
                }
            }
        } catch {
            logger.notice(
                "extension of a product's subscriptions is delayed",
                metadata: ["request": "\(key.requestIdentifier)", "error": "\(error)"])
        }
    }

    /// Decides about one subscription in a commit of its own.
    /// - Returns: False when it cannot be decided now, or another replica has.
    private func decide(
        about due: DueSubscription, _ stored: StoredMassExtension, until last: ContinuousClock.Instant
    ) async throws -> Bool {
        guard try await renewals.catchUp(due.value.originalID, until: last) else { return false }
        let (key, position, request) = (stored.key, stored.position, stored.request)
        do {
            try await subscriptions.commit(
                due.value,
                asking: [ExtensionRepository.locked(key).key]
                    + CustomerState.lookups(extending: due.value, request: request.requestIdentifier)
            ) { state, known in
                guard let row = try state.read(ExtensionRepository.locked(key)), row.completedAt == nil,
                    row.position.isExactly(position)
                else { throw Overtaken() }
                var isExtended = false
                if known.product.isExactly(request.productIdentifier), known.state.isExisting {
                    isExtended =
                        try state.extend(known, days: request.days, request: request.requestIdentifier).outcome
                        == .extended
                    if !isExtended { state.note(.extensionFailed, of: known) }
                }
                state.write(ExtensionRepository.advance(row, to: known.originalID, isExtended: isExtended))
            }
        } catch is Overtaken {
            return false
        }
        return true
    }

    /// Another replica has decided about the subscription.
    private struct Overtaken: Error {}

    /// Completes a request, with the event that notifies the app's server.
    private func complete(_ stored: StoredMassExtension) async throws {
        let clock = renewals.clock
        try await renewals.database.write { transaction in
            let now = clock.now(try await CustomerRepository.clock(of: stored.request.bundleId, in: transaction))
            guard try await ExtensionRepository.complete(stored, at: now, in: transaction) else { return }
            var done = stored
            done.completedAt = now
            let event = StoredServerEvent(
                account: "", appTransaction: 0, at: now, changes: [], extensions: done.wire)
            let app = CustomerReference(bundleId: stored.request.bundleId, customerIdentifier: "")
            try await transaction.send(ServerEventRepository.insert(event, of: app, wall: clock.wall()))
        }
    }
}

extension CustomerState {
    /// The number of extensions by a server within a year.
    private static let extensionsMax = 2
    /// The year in which extensions count, by the app's clock.
    private static let extensionsWithin = Duration.seconds(365 * 86_400)

    /// Returns what an extension asks for, besides the subscription and its latest transaction.
    fileprivate static func lookups(extending known: StoredSubscription, request: String) -> [SQLLookupKey] {
        [
            ExtensionRepository.find(request, of: known).key,
            ExtensionRepository.last(extensionsMax, of: known).key,
        ]
    }

    /// Extends the present period of a subscription, once per request.
    fileprivate mutating func extend(
        _ known: StoredSubscription, days: Int, request: String
    ) throws -> ExtendSubscriptionReply {
        if let told = try read(ExtensionRepository.find(request, of: known)) { return told }
        guard known.state == .subscribed, let paid = try transaction(known.period.transactionID),
            paid.transaction.isTrialPeriod != true, paid.transaction.revocationDate == nil
        else { return ExtendSubscriptionReply(outcome: .ineligible) }
        let since = now + (.zero - Self.extensionsWithin)
        let recent = try read(ExtensionRepository.last(Self.extensionsMax, of: known)).filter { $0 > since }
        guard recent.count < Self.extensionsMax else { return ExtendSubscriptionReply(outcome: .exhausted) }
        let next = try apply(.extended(days: days), to: known, at: now)
        _ = try moveExpiry(to: next)
        let reply = ExtendSubscriptionReply(
            outcome: .extended, effectiveDate: next.period.end,
            webOrderLineItemIdentifier: ReceiptRules.lineItem(of: next.period.transactionIdentifier))
        write(ExtensionRepository.insert(request, of: known, at: now, reply))
        return reply
    }
}
