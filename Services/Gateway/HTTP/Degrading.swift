import Logging
import StoreModels

extension Gateway {
    /// Asks a service the answer can do without.
    ///
    /// - Returns: nil when the service is away or too slow; the answer then names it in `degraded`.
    /// - Throws: What a service that is there says is wrong.
    func degrading<Value>(
        _ service: ServiceName, _ operation: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value? {
        do {
            return try await operation()
        } catch  where error.meansAway {
            logger.debug(
                "answering without a service", metadata: ["service": "\(service.rawValue)", "code": "\(error.code)"])
            return nil
        }
    }
}

extension StoreError {
    /// Whether the service could not be asked, as opposed to answering with an error of the caller's making.
    var meansAway: Bool { code == .serviceUnavailable || code == .deadlineExceeded || code == .internal }
}

extension Call {
    /// For services an answer can do without: they may not use up the time of those it cannot. A second, and of a client
    /// that is ready to wait longer than most a fifth of its time.
    var optionalDeadline: ContinuousClock.Instant {
        let now = ContinuousClock.now
        return min(deadline, now + max(.seconds(1), (deadline - now) / 5))
    }
}
