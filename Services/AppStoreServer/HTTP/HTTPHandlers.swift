import BusService
import Logging
import ServiceDatabase
import StoreHTTP
import StoreModels

/// Handles `http.read`, `http.change` and `http.rest`: clients' requests as the gateway passes them on.
struct HTTPHandlers: Sendable {
    private let server: AppleServer
    private let routes: [String: ServerRoute]  // keys: operations
    private let held: HeldReplies
    private let instance: String

    /// - Parameter instance: The instance's name on the bus.
    init(_ server: AppleServer, instance: String) {
        self.server = server
        self.instance = instance
        routes = Dictionary(uniqueKeysWithValues: server.routes.map { ($0.identifier, $0) })  // keys: operations
        held = HeldReplies(instance: instance)
    }

    func register(on service: BusService) {
        for endpoint in [AppStoreEndpoints.read, AppStoreEndpoints.change] {
            service.handle(endpoint) { request, context in
                try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                    try await reply(to: request, context)
                }
            }
        }
        service.handle(AppStoreEndpoints.rest(of: instance)) { request, _ in try held.part(request) }
    }

    private func reply(to request: HTTPExchangeRequest, _ context: RequestContext) async throws -> HTTPExchangeReply {
        guard let route = routes[request.operation] else {
            throw StoreError(.internal, "\(request.operation.prefix(64)) is not an operation of this service")
        }
        guard route.operation.access == .serverAPI else {
            let call = try call(request, route, context, key: nil)
            return exchanged(try await route.handler(call))
        }
        return await serverReply(to: request, route, context)
    }

    /// Answers an app's server. A fault becomes a response in Apple's words.
    private func serverReply(
        to request: HTTPExchangeRequest, _ route: ServerRoute, _ context: RequestContext
    ) async -> HTTPExchangeReply {
        let key: AppKeyRecord
        do {
            key = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                try await server.key(of: request)
            }
        } catch {
            return exchanged(refusal(error, context))
        }
        let reply: ServerReply
        do {
            reply = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                let call = try call(request, route, context, key: key)
                if let obstacle = try await server.obstacle(call) { return obstacle }
                return try await route.handler(call)
            }
        } catch {
            reply = refusal(error, context)
        }
        return with(exchanged(reply)) { $0.bundleId = key.bundleId }
    }

    private func refusal(_ error: any Error, _ context: RequestContext) -> ServerReply {
        switch error {
        case let error as ServerAPITokens.Rejection: .unauthenticated(error)
        case let error as ServerAPIError: .refusal(error)
        default: .refusal(problem(error, context))
        }
    }

    private func call(
        _ request: HTTPExchangeRequest, _ route: ServerRoute, _ context: RequestContext, key: AppKeyRecord?
    ) throws(StoreError) -> ServerCall {
        var parameters: [PathParameter: String] = [:]
        for (name, value) in request.parameters {
            if let parameter = PathParameter(rawValue: name) {
                parameters[parameter] = String(decoding: value.bytes, as: UTF8.self)
            }
        }
        return ServerCall(
            request: request, route: route, parameters: parameters,
            query: try QueryParameters(
                request.query, names: route.operation.query, ignoresOthers: route.operation.access == .serverAPI),
            context: context.callContext, key: key)
    }

    /// Converts a fault, and logs one whose cause the client does not learn.
    private func problem(_ error: any Error, _ context: RequestContext) -> StoreError {
        let problem = error as? StoreError ?? StoreError(.internal, "something went wrong here")
        if problem.code == .internal {
            let cause = error is StoreError ? "\(error)" : "\(type(of: error))"
            context.logger.error("request failed", metadata: ["error": "\(cause)"])
        }
        return problem
    }

    private func exchanged(_ reply: ServerReply) -> HTTPExchangeReply {
        var (data, rest): (HTTPBytes?, HTTPExchangeReply.Rest?)
        switch reply.body {
        case .none: break
        case .json(let json) where json.bytes.count <= HeldReplies.partBytes: data = HTTPBytes(json: json)
        case .json(let json): (data, rest) = held.cut(Array(json.bytes))
        case .bytes(let bytes): (data, rest) = held.cut(bytes)
        }
        return HTTPExchangeReply(
            status: reply.status, headers: reply.headers, data: data, rest: rest, ending: reply.ending,
            reason: reply.reason)
    }
}
