import BusService
import Persistence
import StoreModels

/// Registers endpoints whose handlers use the service's database. Callers receive its errors as
/// ``StoreModels/StoreError``.
///
/// ```swift
/// let endpoints = DatabaseEndpoints(of: "the payment queue", on: service)
/// endpoints.handle(PaymentEndpoints.openAccount, accounts.open)           // open(_ request:)
/// endpoints.handle(PaymentEndpoints.getAccount, customers.get)            // get(_ request:, deadline:)
/// ```
package struct DatabaseEndpoints: Sendable {
    private let owner: String
    private let service: BusService

    /// - Parameters:
    ///   - owner: The owner of the database, in a sentence: "the payment queue".
    ///   - service: The service, before it runs.
    package init(of owner: String, on service: BusService) {
        self.owner = owner
        self.service = service
    }

    /// Registers a handler that answers from the database, without a deadline.
    package func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        service.handle(endpoint) { [owner] request, context in
            try await withStoreErrors(of: owner, logger: context.logger) { try await handler(request) }
        }
    }

    /// Registers a handler that calls other services or waits. It gets the request's deadline on the monotonic clock.
    package func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>,
        _ handler: @escaping @Sendable (Request, ContinuousClock.Instant) async throws -> Response
    ) {
        service.handle(endpoint) { [owner] request, context in
            try await withStoreErrors(of: owner, logger: context.logger) {
                try await handler(request, context.deadline)
            }
        }
    }
}

extension BusService {
    /// Registers the health of a database. It fails while nothing can be written, and warns when acknowledged commits
    /// may be lost.
    package func healthCheck(_ name: String = "database", of database: any SQLDatabase) {
        healthCheck(name) {
            if let fault = database.fault { return .fail(fault.message) }
            return database.synchronous.weakness.map { .warn($0) } ?? .pass
        }
    }
}
