import BusService
import Logging
import Persistence
import StoreModels

/// Reads both clocks of an app's intents: the wall clock for `answerBy`, the business clock for `expiresAt`.
///
/// PaymentQueue keeps the business clock and is asked each time, because an operator may have just moved it. While it
/// is away the last known clock continues, also after a restart. Without a known clock business time is wall time.
final class AppTimes: Sendable {
    typealias Fetch = @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> AppClockState

    /// Timeout of the request to PaymentQueue.
    static let askTime: Duration = .milliseconds(500)
    /// Maximum number of clocks in memory. The database has them all.
    static let clocksMax = 10_000

    let wall: @Sendable () -> Timestamp
    private let database: any SQLDatabase
    private let fetch: Fetch
    /// Timeout of the request to PaymentQueue. Tests set another.
    private let askTime: Duration
    private let logger: Logger
    private let remembered = ExpiringCache<ExactText, RememberedClock>(max: clocksMax)

    init(
        database: any SQLDatabase, wall: @escaping @Sendable () -> Timestamp, askTime: Duration = AppTimes.askTime,
        logger: Logger, fetch: @escaping Fetch
    ) {
        self.database = database
        self.wall = wall
        self.askTime = askTime
        self.logger = logger
        self.fetch = fetch
    }

    /// Reads both clocks. It costs a request, so call it only when an intent depends on them.
    func now(of bundleId: String, deadline: ContinuousClock.Instant) async throws -> StorePurchaseIntent.Life.Now {
        do throws(StoreError) {
            let state = try await fetch(AppRequest(bundleId: bundleId), min(deadline, .now + askTime))
            let clock = RememberedClock(state, readAt: wall())
            await remember(clock, of: bundleId)
            return StorePurchaseIntent.Life.Now(wall: clock.anchorWall, business: clock.anchorBusiness)
        } catch {
            let clock = try await recall(bundleId)
            let wall = wall()
            return StorePurchaseIntent.Life.Now(wall: wall, business: clock?.now(wall: wall) ?? wall)
        }
    }

    /// Stores the clock if it was set or moved since. An error is logged and does not fail the request.
    private func remember(_ clock: RememberedClock, of bundleId: String) async {
        let key = ExactText(bundleId)
        let before = remembered.last(key)
        remembered.insert(clock, for: key)
        guard before?.epoch != clock.epoch else { return }
        do {
            try await database.write { try await RememberedClockRepository.put(clock, of: bundleId, in: $0) }
        } catch {
            remembered.remove(key)
            logger.warning("a clock was not kept", metadata: ["bundleId": "\(bundleId)", "error": "\(error)"])
        }
    }

    /// Reads the last known clock. Memory may have that of a deleted app of the same name.
    private func recall(_ bundleId: String) async throws -> RememberedClock? {
        try await database.read { try await RememberedClockRepository.find(bundleId, in: $0) }
    }

    /// Forgets the clock of an app that is removed.
    func forget(_ bundleId: String) { remembered.remove(ExactText(bundleId)) }
}
