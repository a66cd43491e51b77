import StoreModels

/// Asks the processor about charges in batches: those that have arrived while a request was under way are the next one.
struct ChargeCollector: Sendable {
    /// Timeout of a batch. A charge without a result by then is asked for alone.
    static let batchTime: Duration = .milliseconds(200)
    /// The time that a caller must have left when its charge is asked for.
    static let leastTime: Duration = .milliseconds(50)

    private struct Waiting: Sendable {
        let request: CreateChargeRequest
        /// The instant at which its caller stops waiting.
        let last: ContinuousClock.Instant
    }

    private let charges: CommandCollector<Waiting, Charge?>

    /// - Parameters:
    ///   - executor: The loop of the callers, or nil for any thread.
    ///   - capturesAtOnce: Whether an approved charge is paid. Otherwise its amount is held.
    init(on executor: (any TaskExecutor)?, _ collaborators: PurchaseCollaborators, capturesAtOnce: Bool) {
        charges = CommandCollector(on: executor) { charges in
            await Self.perform(charges, collaborators, capturesAtOnce: capturesAtOnce)
        }
    }

    /// Asks about a charge with the next batch.
    /// - Parameter last: The instant at which the caller stops waiting.
    /// - Returns: Nil for a charge that the processor has refused, or about which it has not replied.
    func run(_ request: CreateChargeRequest, until last: ContinuousClock.Instant) async throws -> Charge? {
        guard .now + Self.leastTime < last else { return nil }
        return try await charges.run(Waiting(request: request, last: last))
    }

    /// Asks the processor about a batch, except for callers who cannot wait for it any more.
    private static func perform(
        _ charges: [Waiting], _ collaborators: PurchaseCollaborators, capturesAtOnce: Bool
    ) async -> [Result<Charge?, any Error>] {
        let now = ContinuousClock.now
        let due = charges.filter { $0.last > now + leastTime }
        var decided: [ExactText: Charge] = [:]
        if !due.isEmpty,
            let reply = try? await collaborators.authorize(
                AuthorizeChargesRequest(
                    charges: due.map(\.request), capturesAtOnce: capturesAtOnce ? true : nil), now + batchTime)
        {
            for charge in reply.charges.compactMap(\.charge) { decided[ExactText(charge.chargeKey)] = charge }
        }
        return charges.map { .success(decided[ExactText($0.request.chargeKey)]) }
    }
}
