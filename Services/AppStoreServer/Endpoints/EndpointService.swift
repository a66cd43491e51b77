import Persistence
import StoreModels

/// Handles `endpoint.get`, `.put` and `.delete`.
struct EndpointService: Sendable {
    let database: any SQLDatabase
    let targets: TargetPolicy
    let deliveries: DeliveryService

    func get(_ request: AppRequest) async throws -> NotificationEndpointReply {
        NotificationEndpointReply(
            endpoint: try await database.read { reader in
                try await EndpointRepository.find(request.bundleId, in: reader)
            })
    }

    /// Sets an app's endpoint. Earlier events give notifications without one.
    /// - Throws: `urlInvalid`, or `requestInvalid` for a timeout out of bounds.
    func put(_ request: PutNotificationEndpointRequest) async throws -> NotificationEndpointReply {
        let endpoint = request.endpoint
        let range = NotificationEndpoint.timeoutMsRange
        guard range.contains(endpoint.timeoutMs) else {
            throw StoreError.invalid(
                "$.timeoutMs", "must be \(range.lowerBound) to \(range.upperBound) milliseconds")
        }
        if !endpoint.isListen { _ = try targets.target(of: endpoint.url) }
        await deliveries.catchUpWithoutHints()
        try await database.write { transaction in
            try await EndpointRepository.put(endpoint, of: request.bundleId, in: transaction)
        }
        deliveries.wake()
        return NotificationEndpointReply(endpoint: endpoint)
    }

    func delete(_ request: AppRequest) async throws -> Empty {
        try await database.write { transaction in
            try await EndpointRepository.delete(request.bundleId, in: transaction)
        }
        return Empty()
    }
}
