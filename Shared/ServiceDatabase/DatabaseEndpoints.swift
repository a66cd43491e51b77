import BusService
import Logging
import Persistence
import StoreModels

/// Registers endpoints whose handlers work on the service's database. Callers receive what it throws as a
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

    /// Registers a handler that answers from the database, however long it takes.
    package func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>,
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        service.handle(endpoint) { [owner] request, context in
            try await Self.answering(owner, context) { try await handler(request) }
        }
    }

    /// Registers a handler that also calls other services, or waits, until the request's deadline: an instant of the
    /// monotonic clock.
    package func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>,
        _ handler: @escaping @Sendable (Request, ContinuousClock.Instant) async throws -> Response
    ) {
        service.handle(endpoint) { [owner] request, context in
            try await Self.answering(owner, context) { try await handler(request, context.deadline) }
        }
    }

    /// Errors of other origins pass unchanged. Details that callers do not receive are in the log, with their trace.
    private static func answering<Response>(
        _ owner: String, _ context: RequestContext, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let error as PersistenceError {
            // One that is away or full is logged when that begins, by the database itself.
            context.logger.log(
                level: error.isRetryable ? .debug : .error, "the database failed", metadata: ["error": "\(error)"])
            throw StoreError(storage: error, of: owner)
        }
    }
}
