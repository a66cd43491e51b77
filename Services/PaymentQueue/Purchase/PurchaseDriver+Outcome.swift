import ServiceDatabase
import StoreModels

extension PurchaseDriver {
    /// Works on a purchase, or waits for another task that does, until it is at rest, what it waits for is with a person,
    /// or the time is over.
    ///
    /// - Parameter fresh: as for ``drive(_:fresh:until:)``.
    /// - Returns: the transaction as it is then; nil when there is no such purchase any more.
    func outcome(
        of id: String, fresh: StoredTransaction? = nil, until last: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        var attempt = try await drive(id, fresh: fresh, until: last)
        var attempts = 1
        while true {
            switch attempt {
            case .gone: return nil
            case .now(let stored) where stored.isWithPerson || ContinuousClock.now >= last: return stored
            case .now, .busy: break
            }
            guard ContinuousClock.now < last else { return try await store.find(id) }
            let news = board.listen(id)
            // It may have been settled before the listening began.
            guard let stored = try await store.find(id), !stored.isAtRest else { return try await store.find(id) }
            await news.wait(until: min(last, .now + RetrySchedule.delay(afterAttempts: attempts)))
            attempt = try await drive(id, until: last)
            attempts += 1
        }
    }
}
