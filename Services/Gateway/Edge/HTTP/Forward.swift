import BusService
import Logging
import StoreHTTP
import StoreModels

extension ServiceCaller {
    /// Calls an endpoint for a client's request, until the request's deadline.
    /// - Parameters:
    ///   - key: The client's idempotency key. Nil for none.
    ///   - unknown: For a change: the error when no reply says whether it took effect.
    /// - Throws: The service's error, or `outcomeUnknown`.
    package func call<Request, ServiceReply>(
        _ endpoint: Endpoint<Request, ServiceReply>, _ request: Request, for call: Call,
        idempotencyKey key: String? = nil, else unknown: UnknownOutcome? = nil
    ) async throws(StoreError) -> ServiceReply {
        do {
            return try await self.call(endpoint, request, context: call.context(requestIdentifier: key))
        } catch {
            guard let unknown, error.leavesOutcomeUnknown else { throw error }
            throw unknown.error
        }
    }

    /// Creates the route of an endpoint that one call of a service answers.
    ///
    /// ```swift
    /// services.forward(DeviceRoutes.get, to: PromotionEndpoints.getDevice) { try $0.device() }
    /// services.forward(DeviceRoutes.put, to: PromotionEndpoints.putDevice) { call, body in
    ///     PutDeviceRequest(try call.device(), platform: body.platform, osVersion: body.osVersion)
    /// }
    /// ```
    /// - Parameters:
    ///   - unknown: For a change: the error when no reply says whether it took effect.
    ///   - request: Makes the service's request of the client's, and checks it.
    ///   - reply: Makes the client's response of the service's. Without it both have one type, or the response is 204.
    package func forward<Body, Request, ServiceReply, Response>(
        _ route: HTTPEndpoint<Body, Response>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call) async throws -> Request,
        reply: @escaping @Sendable (ServiceReply) throws -> Reply<Response>
    ) -> Route {
        Route(route) { call in
            try reply(try await self.call(endpoint, try await request(call), for: call, else: unknown))
        }.passingOn(endpoint.errors)
    }

    /// Creates a route that answers with the service's reply.
    package func forward<Body, Request, ServiceReply>(
        _ route: HTTPEndpoint<Body, ServiceReply>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call) async throws -> Request
    ) -> Route {
        forward(route, to: endpoint, else: unknown, request) { try Reply($0) }
    }

    /// Creates a route that answers 204.
    package func forward<Body, Request, ServiceReply>(
        _ route: HTTPEndpoint<Body, NoContent>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call) async throws -> Request
    ) -> Route {
        forward(route, to: endpoint, else: unknown, request) { _ in .noContent }
    }

    /// Creates the route of an endpoint with a body, which is read and checked before the request is made.
    package func forward<Body: Decodable, Request, ServiceReply, Response>(
        _ route: HTTPEndpoint<Body, Response>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call, Body) async throws -> Request,
        reply: @escaping @Sendable (ServiceReply) throws -> Reply<Response>
    ) -> Route {
        forward(
            route, to: endpoint, else: unknown, { try await request($0, try await $0.body(of: route)) }, reply: reply)
    }

    /// Creates a route with a body that answers with the service's reply.
    package func forward<Body: Decodable, Request, ServiceReply>(
        _ route: HTTPEndpoint<Body, ServiceReply>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call, Body) async throws -> Request
    ) -> Route {
        forward(route, to: endpoint, else: unknown, request) { try Reply($0) }
    }

    /// Creates a route with a body that answers 204.
    package func forward<Body: Decodable, Request, ServiceReply>(
        _ route: HTTPEndpoint<Body, NoContent>, to endpoint: Endpoint<Request, ServiceReply>,
        else unknown: UnknownOutcome? = nil, _ request: @escaping @Sendable (Call, Body) async throws -> Request
    ) -> Route {
        forward(route, to: endpoint, else: unknown, request) { _ in .noContent }
    }

    /// Reads an account by its name. Nil for one that has never used the app.
    package func existingAccount(
        _ name: String, of bundleId: String, _ context: CallContext
    ) async throws(StoreError) -> AccountReply? {
        do {
            return try await call(
                PaymentEndpoints.getAccount, GetAccountRequest(bundleId: bundleId, account: name), context: context)
        } catch  where error.code == .notFound {
            return nil
        }
    }
}

/// Calls a service that the response does not require.
///
/// - Returns: Nil when the service is away or too slow. The response then names it in `degraded`.
/// - Throws: The error of a service that is available.
package func degrading<Value>(
    _ service: ServiceName, _ logger: Logger, _ operation: () async throws(StoreError) -> Value
) async throws(StoreError) -> Value? {
    do {
        return try await operation()
    } catch  where error.meansAway {
        logger.debug(
            "answering without a service", metadata: ["service": "\(service.rawValue)", "code": "\(error.code)"])
        return nil
    }
}

/// The client's error for a change whose request was sent, and whose reply did not arrive.
package struct UnknownOutcome: ExpressibleByStringLiteral, Sendable {
    /// For changes that a repeated request reports.
    package static let sameAgainTells: UnknownOutcome =
        "the request was sent and its outcome is not known here; repeat it to learn the outcome"

    private let sentence: String
    private let isRepeatable: Bool

    /// - Parameters:
    ///   - sentence: The error's text, which says how to find out.
    ///   - isRepeatable: Whether the client may repeat the request.
    package init(_ sentence: String, isRepeatable: Bool) {
        self.sentence = sentence
        self.isRepeatable = isRepeatable
    }

    /// Makes the error of a change that may be repeated.
    package init(stringLiteral sentence: String) { self.init(sentence, isRepeatable: true) }

    /// The error, `outcomeUnknown`.
    package var error: StoreError {
        var error = StoreError(.outcomeUnknown, sentence, retryAfterMs: isRepeatable ? 1000 : nil)
        error.retryable = isRepeatable
        return error
    }
}
