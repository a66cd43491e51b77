import BusClient
import StoreModels

extension BusClient {
    /// Subscribes for the duration of a request.
    /// - Throws: `serviceUnavailable` without a bus.
    package func listen(
        to subject: String, _ call: Call, handler: @escaping @Sendable (BusMessage) -> Void
    ) async throws -> any BusSubscription {
        guard state == .connected else {
            throw StoreError(.serviceUnavailable, "the bus is away", retryAfterMs: 1000)
        }
        return try await withTimeLimit(
            call.deadline - .now,
            else: StoreError(.serviceUnavailable, "the bus did not answer in time", retryAfterMs: 1000)
        ) {
            try await self.subscribe(subject, handler: handler)
        }
    }
}
