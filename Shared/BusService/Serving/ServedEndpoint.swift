import EventLoop
import Logging
import Metrics
import StoreModels

/// One endpoint of a service with its types erased: bytes in, bytes out.
final class ServedEndpoint: Sendable {
    let name: String
    let subject: String
    private let errors: [StoreErrorCode]
    private let undeclared: UndeclaredErrorHook?
    private let invoke: @Sendable ([UInt8], RequestContext) async throws -> [UInt8]
    private let statistics = Locked(EndpointStatistics())
    private let timers = Locked<[String: Timer]>([:])
    private let service: String

    init<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, undeclared: UndeclaredErrorHook? = nil,
        _ handler: @escaping @Sendable (Request, RequestContext) async throws -> Response
    ) {
        name = endpoint.name
        subject = endpoint.subject
        service = endpoint.service
        errors = endpoint.errors
        self.undeclared = undeclared
        invoke = { body, context in
            // A request without members may come without a body.
            let request = try StoreJSON.decode(Request.self, from: body.isEmpty ? Array("{}".utf8) : body)
            return try StoreJSON.encode(try await handler(request, context))
        }
    }

    /// Runs the handler. Every failure becomes a `StoreError`.
    func result(_ body: [UInt8], _ context: RequestContext) async -> Result<[UInt8], StoreError> {
        do throws(StoreError) {
            return .success(try await run(body, context))
        } catch {
            return .failure(error)
        }
    }

    private func run(_ body: [UInt8], _ context: RequestContext) async throws(StoreError) -> [UInt8] {
        guard context.remaining > .zero else {
            throw StoreError(.deadlineExceeded, "the request's time ran out before it began")
        }
        let reply: [UInt8]
        do {
            reply = try await invoke(body, context)
        } catch let error as StoreError {
            check(error.code, context)
            throw error
        } catch {
            context.logger.error("a handler failed", metadata: ["error": "\(error)"])
            throw StoreError(.internal, "\(name) failed; trace \(context.traceID) is in the log")
        }
        guard reply.count <= BusServiceLimits.replyBytesMax else {
            context.logger.error("a reply is too large", metadata: ["bytes": "\(reply.count)"])
            throw StoreError(.internal, "the reply of \(name) is over \(BusServiceLimits.replyBytesMax) bytes")
        }
        return reply
    }

    /// Reports an answer that the endpoint does not declare. Release builds log none, and the caller gets it anyway.
    private func check(_ code: StoreErrorCode, _ context: RequestContext) {
        guard !errors.contains(code), !StoreErrorCode.general.contains(code) else { return }
        #if DEBUG
            context.logger.error(
                "the endpoint does not declare the error it answers", metadata: ["code": "\(code)"])
        #endif
        undeclared?(subject, code)
    }

    var stats: EndpointStatistics { statistics.withLock { $0 } }

    /// Counts a request for `$SRV.STATS` and `/metrics`.
    func record(_ error: StoreError?, since started: ContinuousClock.Instant) {
        let nanoseconds = started.duration(to: .now).nanoseconds
        statistics.withLock { $0.record(nanoseconds: nanoseconds, error: error.map { "\($0.status) \($0.code)" }) }
        timer(error?.code.name ?? "ok").recordNanoseconds(nanoseconds)
    }

    private func timer(_ code: String) -> Timer {
        timers.withLock { timers in
            if let timer = timers[code] { return timer }
            let timer = Timer(
                label: "storebus_request_duration_seconds",
                dimensions: [("service", service), ("endpoint", name), ("code", code)])
            timers[code] = timer
            return timer
        }
    }
}

/// Gets a code that the endpoint of a subject answers and does not declare. Tests fail then.
package typealias UndeclaredErrorHook = @Sendable (_ subject: String, _ code: StoreErrorCode) -> Void

/// The counts of one endpoint in `$SRV.STATS`, since the process started.
struct EndpointStatistics: Sendable {
    private(set) var requests = 0
    private(set) var errors = 0
    /// `409 transactionNotFinishable`: status and code only, because messages may hold identifiers.
    private(set) var lastError = ""
    private(set) var processingNanoseconds: Int64 = 0

    mutating func record(nanoseconds: Int64, error: String?) {
        requests += 1
        processingNanoseconds += nanoseconds
        guard let error else { return }
        errors += 1
        lastError = error
    }

    var averageNanoseconds: Int64 { requests == 0 ? 0 : processingNanoseconds / Int64(requests) }
}
