import BusService
import EventLoop
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1
import StoreHTTP
import StoreModels

/// Handles every request. It finds the route, authenticates the caller, calls the handler, converts errors to problems,
/// and records one log line and one metric.
package struct GatewayResponder: HTTPResponder {
    let table: RouteTable
    let authenticator: Authenticator
    let stores: IsolatedStores
    let metrics: HTTPMetrics
    /// Keeps the spans of requests. Nil keeps none.
    let spans: SpanKeeper?
    let logger: Logger
    /// Whether the server speaks HTTPS itself.
    var isSecure = false

    /// Makes the responder of a route table.
    /// - Precondition: No two routes have the same method and path.
    package init(
        _ routes: [Route], authenticator: Authenticator, stores: IsolatedStores, spans: SpanKeeper? = nil,
        logger: Logger
    ) {
        self.table = RouteTable(routes)
        self.authenticator = authenticator
        self.stores = stores
        self.metrics = HTTPMetrics()
        self.spans = spans
        self.logger = logger
    }

    package func respond(to request: Request, context: GatewayContext) async throws -> Response {
        let start = Arrival.time(request.headers)
        let (trace, parent) = TraceContext.received(request.headers[.traceparent])
        let span = spans?.begin("", .server, trace, parent: parent)
        var record = AccessRecord(method: request.method, path: request.uri.path, traceID: trace.traceID)
        let serverCaller = Locked(ServerCaller())
        metrics.began()
        var response: Response
        do {
            response = try await handle(request, context, trace, start, serverCaller, &record)
        } catch {
            let problem = Self.problem(error)
            record.code = problem.error.code
            if problem.error.code == .internal { log(error, record) }
            response =
                record.access == .serverAPI
                ? problem.serverAPIResponse : problem.response(traceID: trace.traceID, in: record.store)
        }
        if !response.headers.contains(.xContentTypeOptions) { response.headers[.xContentTypeOptions] = "nosniff" }
        record.serverCaller = serverCaller.withLock { $0 }
        if record.serverCaller.reason != nil { record.code = .unauthenticated }
        record.finish(status: response.status, duration: ContinuousClock.now - start)
        metrics.ended(record)
        if let span { record.end(span) }
        record.log(to: logger)
        return response
    }

    private func handle(
        _ request: Request, _ context: GatewayContext, _ trace: TraceContext, _ start: ContinuousClock.Instant,
        _ serverCaller: Locked<ServerCaller>, _ record: inout AccessRecord
    ) async throws -> Response {
        try Self.checkWeight(request)
        try Self.checkFraming(request)
        let target = try StoreTarget(path: request.uri.path, headers: request.headers)
        let (route, parameters) = try match(request.method, target.path)
        record.found(route)
        record.parameters = parameters
        var principal: Principal
        if let known = try authenticator.known(for: route.access, headers: request.headers) {
            principal = known
        } else {
            let context = CallContext(
                deadline: start + (try Self.timeout(request.headers)), traceparent: trace.traceparent)
            principal = try await authenticator.principal(
                for: route.access, method: request.method, headers: request.headers, context)
        }
        record.principal = principal
        if case .storeAdmin(let key) = principal { try key.checkReach(route, of: target.store) }
        var store: IsolatedApp?
        if IsolatedStores.concern(target.store, principal) {
            store = try await stores.app(named: target.store, principal)
        }
        if let store {
            principal = try principal.inside(store)
            record.store = store
        }
        guard case .handled(let handler) = route.action else { throw Self.notBuilt(route) }
        let call = Call(
            request: request, route: route,
            parameters: parameters,
            query: try QueryParameters(
                request.uri.query, names: route.query, ignoresOthers: route.access == .serverAPI),
            principal: principal, trace: trace, deadline: start + (try Self.timeout(request.headers)),
            channel: context.channel, isSecure: isSecure || Self.isForwardedSecurely(request.headers), store: store,
            serverCaller: serverCaller)
        guard .now < call.deadline else {
            throw StoreError(
                .serviceUnavailable, "the gateway is overloaded: the request's time ran out before it began",
                retryAfterMs: 1000)
        }
        let response = try await handler(call)
        // A service answers about an app that is removed meanwhile as about a new one.
        if let store, request.method == .get { _ = try await stores.app(named: store.store, principal) }
        return response
    }

    /// Whether a proxy says that its client speaks HTTPS. It decides no more than an attribute of the client's cookie.
    private static func isForwardedSecurely(_ headers: HTTPFields) -> Bool {
        headers[.forwardedProto]?.lowercased() == "https"
    }

    private func match(
        _ method: HTTPRequest.Method, _ path: String
    ) throws(HTTPProblem) -> (Route, [PathParameter: String]) {
        switch table.match(method, path) {
        case .found(let route, let parameters): return (route, parameters)
        case .notFound: throw HTTPProblem(StoreError(.notFound, "there is no such path; /openapi.json lists them"))
        case .wrongMethod(let allowed):
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw HTTPProblem(
                StoreError(.methodNotAllowed, "\(method) is not allowed here, but \(names)"),
                headers: [.allow: names])
        }
    }

    private static func checkWeight(_ request: Request) throws(StoreError) {
        guard (request.head.path ?? "").utf8.count <= HTTPLimits.targetBytesMax else {
            throw .invalid("target", "is longer than \(HTTPLimits.targetBytesMax) bytes", status: 414)
        }
        let size = request.headers.reduce(0) { size, field in
            field.name == Arrival.name ? size : size + field.name.rawName.utf8.count + field.value.utf8.count + 4
        }
        guard size <= HTTPLimits.headerBytesMax else {
            throw .invalid("headers", "are larger than \(HTTPLimits.headerBytesMax) bytes", status: 431)
        }
    }

    /// Rejects unknown transfer codings. The end of such a body cannot be found, so the connection is not read further.
    private static func checkFraming(_ request: Request) throws(HTTPProblem) {
        guard let coding = request.headers[.transferEncoding], coding.lowercased() != "chunked" else { return }
        throw HTTPProblem(
            StoreError(
                .notImplemented, "the Transfer-Encoding is not known; send the body chunked, or with a Content-Length"),
            headers: [.connection: "close"])
    }

    /// Returns the client's own timeout, or the default.
    private static func timeout(_ headers: HTTPFields) throws(StoreError) -> Duration {
        guard let text = headers[.sbTimeout] else { return HTTPLimits.requestTimeout }
        let range = HTTPLimits.requestTimeoutMilliseconds
        guard let value = Int(text), range.contains(value) else {
            throw .invalid("Sb-Timeout", "must be \(range.lowerBound) to \(range.upperBound) milliseconds")
        }
        return .milliseconds(value)
    }

    private static func notBuilt(_ route: Route) -> StoreError {
        guard case .notBuilt(let sentence) = route.action else { preconditionFailure("\(route.path) is built") }
        return StoreError(.notImplemented, sentence)
    }

    /// Converts any error to a problem. An `internal` error, here or in a service, does not expose its cause.
    private static func problem(_ error: any Error) -> HTTPProblem {
        switch error {
        case let problem as HTTPProblem: problem
        case let error as StoreError where error.code != .internal: HTTPProblem(error)
        // An error in the body: a request with an invalid head reaches no handler.
        case is HTTPParserError:
            HTTPProblem(.invalid("body", "is not framed as HTTP/1.1 says"), headers: [.connection: "close"])
        default: HTTPProblem(StoreError(.internal, "something went wrong here; the log has the details"))
        }
    }

    /// Logs the cause for the operator. Of a library's error only the type is logged: its text may quote the request.
    private func log(_ error: any Error, _ record: AccessRecord) {
        let cause = error is StoreError ? "\(error)" : "\(type(of: error))"
        logger.error("request failed", metadata: record.metadata.merging(["error": "\(cause)"]) { $1 })
    }
}
