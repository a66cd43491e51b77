import BusService
import Logging
import StoreModels

extension Gateway {
    /// Calls a service that the response does not require.
    ///
    /// - Returns: Nil when the service is away or too slow. The response then names it in `degraded`.
    /// - Throws: The error of a service that is available.
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

extension Call {
    /// The deadline for optional services, which must leave time for the required ones.
    var optionalDeadline: ContinuousClock.Instant { deadline.forOptionalServices }
}
