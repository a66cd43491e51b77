import BusClient
import BusProtocol
import EventLoop
import Metrics
import StoreModels

/// The calling side of services: typed requests with deadlines and retries. Each endpoint has a circuit breaker and a
/// bulkhead.
///
/// ```swift
/// let caller = ServiceCaller(bus: bus, caller: "eligibility")
/// let reply = try await caller.call(PaymentEndpoints.offerSummaries, request, context: context.callContext)
/// ```
/// The order is deadline, retry, breaker, bulkhead, transport. Copies share their breakers and budget, so make one per
/// process and share it.
package struct ServiceCaller: Sendable {
    private let bus: any BusClient
    private let caller: String
    private let retries: Bool
    private let state: CallerState

    /// - Parameters:
    ///   - caller: The calling service's name, for metrics.
    ///   - retries: True only in the caller nearest the client (the gateway), because retries in several layers
    ///     multiply.
    ///   - now: The time for the breakers.
    package init(
        bus: any BusClient, caller: String, retries: Bool = false,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.bus = bus
        state = CallerState(now: now)
        self.caller = caller
        self.retries = retries
    }

    /// Calls an endpoint and waits for its answer until the context's deadline.
    ///
    /// A caller made with `retries` tries an idempotent endpoint up to three times while the error is
    /// `serviceUnavailable`, as far as deadline and budget allow.
    ///
    /// - Throws: The service's error reply. `serviceUnavailable` when it is not running or overloaded, its breaker is
    ///   open, 1024 calls wait, or the connection is lost. `deadlineExceeded` when no answer came in time, and then the
    ///   outcome is unknown unless the deadline had passed before the call. `bodyTooLarge`. `internal` for a request or
    ///   a reply that cannot be coded.
    package func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, context: CallContext = CallContext()
    ) async throws(StoreError) -> Response {
        try await call(endpoint, request, context) { body throws(StoreError) in
            try StoreJSON.decode(Response.self, from: body)
        }
    }

    /// Calls an endpoint and reads its reply without the decoder.
    /// - Throws: As for other replies.
    package func call<Request, Response: ReadFromBytes>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, context: CallContext = CallContext()
    ) async throws(StoreError) -> Response {
        try await call(endpoint, request, context, Response.init(reading:))
    }

    private func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ context: CallContext,
        _ read: ([UInt8]) throws(StoreError) -> Response
    ) async throws(StoreError) -> Response {
        let body = try Self.encode(request)
        let started = ContinuousClock.now
        state.earnRetry()
        var attempt = 1
        while true {
            do throws(StoreError) {
                let reply = try await exchange(endpoint, body, context, number: attempt)
                let response = try Self.decode(reply, from: endpoint.service, read)
                record(endpoint.name, "ok", since: started)
                return response
            } catch {
                guard retries, endpoint.isIdempotent, await mayRetry(error, after: attempt, context) else {
                    record(endpoint.name, error.code.name, since: started)
                    throw error
                }
                attempt += 1
            }
        }
    }

    /// Returns an endpoint as a function of a request and a deadline. The deadline is an instant of the monotonic
    /// clock. Services that receive their collaborators as functions use it.
    ///
    /// ```swift
    /// let quote = caller.function(CatalogEndpoints.quoteProduct)
    /// let answer = try await quote(request, .now + .seconds(2))
    /// ```
    /// - Returns: A function that throws as ``call(_:_:context:)`` does.
    package func function<Request, Response>(
        _ endpoint: Endpoint<Request, Response>
    ) -> @Sendable (Request, ContinuousClock.Instant) async throws(StoreError) -> Response {
        { request, deadline throws(StoreError) in
            try await call(endpoint, request, context: CallContext(deadline: deadline))
        }
    }

    /// Publishes an event. Events are hints, delivered at most once, so a failure is counted
    /// (`storebus_events_dropped_total`) and not thrown.
    package func publish(event subject: String, _ body: some Encodable) {
        do {
            try bus.publish(subject, body: try StoreJSON.encode(body))
        } catch {
            Counter(label: "storebus_events_dropped_total", dimensions: [("caller", caller)]).increment()
        }
    }

    /// Exchanges one message: deadline, breaker, bulkhead, transport.
    private func exchange<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ body: [UInt8], _ context: CallContext, number: Int
    ) async throws(StoreError) -> BusMessage {
        let remaining = context.remaining
        guard remaining > .zero else {
            throw StoreError(.deadlineExceeded, "no time was left to call \(endpoint.name)")
        }
        let begun: ContinuousClock.Instant
        switch state.enter(endpoint.subject) {
        case .admitted(let moment): begun = moment
        case .breakerOpen:
            throw StoreError(.serviceUnavailable, "\(endpoint.service) has not answered lately", retryAfterMs: 1000)
        case .bulkheadFull:
            throw StoreError(
                .serviceUnavailable,
                "\(BusServiceLimits.bulkhead) calls of \(endpoint.name) wait for an answer already", retryAfterMs: 100)
        }
        do throws(BusError) {
            let reply = try await bus.request(
                endpoint.subject, body: body, headers: context.headers(attempt: number), key: nil, timeout: remaining)
            state.leave(endpoint.subject, .succeeded, begun: begun)
            return reply
        } catch {
            state.leave(endpoint.subject, Self.outcome(error), begun: begun)
            throw StoreError(error, service: endpoint.service)
        }
    }

    /// Translates a failure for the breaker. Only timeouts and overload open the breaker. `noResponders` and
    /// `disconnected` fail immediately and cost nothing, and keeping calls away would only delay the recovery.
    private static func outcome(_ error: BusError) -> CallerState.Outcome {
        switch error.code {
        case .timeout, .overloaded: .failed
        default: .abandoned
        }
    }

    /// Waits before the next attempt. False when no attempt may follow.
    private func mayRetry(_ error: StoreError, after attempt: Int, _ context: CallContext) async -> Bool {
        guard error.code == .serviceUnavailable, attempt <= BusServiceLimits.retriesMax else { return false }
        let wait = BusServiceLimits.retryBackoff.wait(afterAttempts: attempt)
        guard context.remaining > wait, !Task.isCancelled, state.spendRetry() else { return false }
        Counter(label: "storebus_call_retries_total", dimensions: [("caller", caller)]).increment()
        return (try? await sleep(wait)) != nil
    }

    private func sleep(_ duration: Duration) async throws {
        if let loop = bus.loop { try await loop.sleep(for: duration) } else { try await Task.sleep(for: duration) }
    }

    private func record(_ endpoint: String, _ code: String, since started: ContinuousClock.Instant) {
        state.timer(endpoint, code, of: caller).recordNanoseconds(started.duration(to: .now).nanoseconds)
    }

    private static func encode(_ request: some Encodable) throws(StoreError) -> [UInt8] {
        do {
            return try StoreJSON.encode(request)
        } catch {
            throw StoreError(.internal, "the request cannot be written as JSON: \(error)")
        }
    }

    private static func decode<Response>(
        _ reply: BusMessage, from service: String, _ read: ([UInt8]) throws(StoreError) -> Response
    ) throws(StoreError) -> Response {
        if let error = ErrorReply.decode(headers: reply.headers, body: reply.body) { throw error }
        do throws(StoreError) {
            return try read(reply.body)
        } catch {
            throw StoreError(.internal, "\(service) sent a reply that cannot be read: \(error.message)")
        }
    }
}

extension Duration {
    /// Nanoseconds, rounded towards zero.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
