import BusService
import StoreHTTP
import StoreModels

/// A client's HTTP request as its handler receives it.
struct ServerCall: Sendable {
    let request: HTTPExchangeRequest
    let route: ServerRoute
    /// The decoded values of `{transactionId}` and the like. No value is empty.
    let parameters: [PathParameter: String]
    let query: QueryParameters
    /// The context of calls to other services.
    let context: CallContext
    /// The key that has signed the token, in the store of the request. Nil where the gateway has authenticated.
    let key: AppKeyRecord?

    /// The instant at which the client stops waiting.
    var deadline: ContinuousClock.Instant { context.deadline }

    /// The context for services that the response does not require.
    var optionalContext: CallContext { with(context) { $0.deadline = deadline.forOptionalServices } }

    /// The isolated store that the request names.
    var store: IsolatedApp? { request.store.flatMap { IsolatedApp($0) } }

    /// The key of the calling app's server.
    /// - Precondition: The route's access is `serverAPI`.
    var serverKey: AppKeyRecord {
        guard let key else { preconditionFailure("\(route.path) is called without a key, but its handler needs one") }
        return key
    }

    /// The app that the path names. The gateway has checked that it exists.
    /// - Throws: `internal` for a request without one.
    func bundleId() throws(StoreError) -> String {
        guard let bundleId = request.bundleId else { throw StoreError(.internal, "\(route.path) came without its app") }
        return bundleId
    }

    /// The customer whose session the gateway has verified.
    /// - Throws: `internal` for a request without one.
    func customer() throws(StoreError) -> ExchangeCustomer {
        guard let customer = request.customer else {
            throw StoreError(.internal, "\(route.path) came without its customer")
        }
        return customer
    }

    /// Returns a parameter of the path, checked.
    /// - Parameter what: The object that it identifies, for the problem's text.
    /// - Throws: `notFound` for text that cannot be an identifier, `internal` for a request without the parameter.
    func parameter(_ name: PathParameter, of what: String = "object") throws(StoreError) -> String {
        guard let value = parameters[name] else {
            throw StoreError(.internal, "\(route.path) came without its \(name.rawValue)")
        }
        guard IdentifierRule.fault(in: value, lengthMax: Self.identifierLengthMax) == nil else {
            throw .notFound(what)
        }
        return value
    }

    /// Maximum length of an identifier, in characters, as at the gateway.
    private static let identifierLengthMax = 255

    /// The body's bytes, for handlers that read them as Apple does.
    func bodyBytes() -> [UInt8] { request.data?.bytes ?? [] }

    /// Decodes the body of an endpoint. A member that its type lacks is rejected, and a ``CheckedBody`` is checked.
    func body<Request: Decodable, Response>(
        of endpoint: HTTPEndpoint<Request, Response>
    ) throws(StoreError) -> Request {
        let body = try StoreJSON.decodeStrictly(Request.self, from: bodyBytes())
        try (body as? any CheckedBody)?.validate()
        return body
    }
}

extension ServiceCaller {
    /// Calls an endpoint for a client's request, until the request's deadline.
    func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, for call: ServerCall
    ) async throws(StoreError) -> Response {
        try await self.call(endpoint, request, context: call.context)
    }
}
