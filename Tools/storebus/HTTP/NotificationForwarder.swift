import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreHTTP
import StoreModels

/// Posts notifications to apps' servers. Tests of commands provide their own.
protocol NotificationForwarder: Sendable {
    /// Posts a signed notification as the store does.
    /// - Parameter time: Timeout for all of it, redirects and the response's body included.
    /// - Returns: Nil when the task was cancelled before the outcome was known.
    func post(_ signedPayload: String, to url: String, within time: Duration) async -> ForwardOutcome?
}

/// What became of a forwarded notification.
struct ForwardOutcome: Hashable, Sendable {
    var result: SendAttemptResult
    /// The status of the last response; nil without one.
    var status: Int?
    var duration: Duration
    /// The beginning of the response's body, or what went wrong; a ``PrintableText``'s.
    var bodyStart: String?

    /// The outcome of a whole response.
    init(status: Int, duration: Duration, bodyStart: String?) {
        result = Self.successes.contains(status) ? .success : .unsuccessfulResponse
        self.status = status
        self.duration = duration
        self.bodyStart = bodyStart.map { PrintableText($0).text }
    }

    /// The outcome of a failure.
    init(_ result: SendAttemptResult, status: Int? = nil, duration: Duration, reason: String) {
        self.result = result
        self.status = status
        self.duration = duration
        bodyStart = PrintableText(reason).text
    }

    /// The statuses that Apple takes for a delivery.
    private static let successes = 200...206

    /// The body of a report about it.
    var report: ReportAttemptBody {
        var body = ReportAttemptBody(sendAttemptResult: result)
        body.httpStatus = status
        body.durationMs = milliseconds
        body.bodyStart = bodyStart
        return body
    }

    var milliseconds: Int { Int(duration / .milliseconds(1)) }
}

/// ``NotificationForwarder`` over HTTP/1.1.
struct HTTPNotificationForwarder: NotificationForwarder {
    private static let redirectsMax = 5
    /// How much of a response's body is kept.
    private static let bodyStartByteCountMax = 200

    /// Never shut down: it lives as long as the process.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .follow(max: redirectsMax, allowCycles: false)
        // A closed port is an outcome; the store repeats it by the endpoint's schedule.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    }()

    private struct Body: Encodable {
        let signedPayload: String
    }

    func post(_ signedPayload: String, to url: String, within time: Duration) async -> ForwardOutcome? {
        let start = ContinuousClock.now
        return await withTaskGroup(of: ForwardOutcome?.self) { group in
            group.addTask { await exchange(signedPayload, url, since: start) }
            group.addTask {
                guard (try? await ContinuousClock().sleep(for: time)) != nil else { return nil }
                return ForwardOutcome(
                    .timedOut, duration: ContinuousClock.now - start, reason: "no answer in \(Format.delay(time))")
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func exchange(
        _ signedPayload: String, _ url: String, since start: ContinuousClock.Instant
    ) async -> ForwardOutcome? {
        var status: Int?
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            // A server that was started again would have closed a kept connection.
            request.headers.add(name: "Connection", value: "close")
            request.body = .bytes(try StoreJSON.encode(Body(signedPayload: signedPayload)))
            let response = try await Self.client.execute(request, deadline: .distantFuture)
            status = Int(response.status.code)
            var beginning: [UInt8] = []
            for try await piece in response.body {
                beginning += piece.readableBytesView.prefix(Self.bodyStartByteCountMax - beginning.count)
            }
            return ForwardOutcome(
                status: Int(response.status.code), duration: ContinuousClock.now - start,
                bodyStart: beginning.isEmpty ? nil : String(decoding: beginning, as: UTF8.self))
        } catch {
            guard !Task.isCancelled else { return nil }
            let (result, reason) = Self.failure(error, hasStatus: status != nil)
            return ForwardOutcome(result, status: status, duration: ContinuousClock.now - start, reason: reason)
        }
    }

    /// Finds Apple's word for an error of the library.
    /// - Parameter hasStatus: Whether the head of the response had come.
    static func failure(_ error: any Error, hasStatus: Bool) -> (result: SendAttemptResult, reason: String) {
        switch error {
        case let error as HTTPClientError: failure(error, hasStatus: hasStatus)
        case let error as NIOConnectionError:
            (.socketIssue, error.connectionErrors.first.map { reason($0.error) } ?? "no such host")
        case _ where hasStatus: (.prematureClose, "the response ended early")
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): (.noResponse, reason(error))
        case is IOError, is SocketAddressError: (.socketIssue, reason(error))
        case HTTPParserError.invalidEOFState: (.noResponse, "it closed the connection")
        case is HTTPParserError: (.invalidResponse, "what came back is no HTTP")
        // The library's errors of TLS are those of a package that it alone imports.
        case _ where String(reflecting: type(of: error)).hasPrefix("NIOSSL."): (.tlsIssue, reason(error))
        default: (.other, reason(error))
        }
    }

    private static func failure(
        _ error: HTTPClientError, hasStatus: Bool
    ) -> (result: SendAttemptResult, reason: String) {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded: (.timedOut, "no answer in time")
        case .redirectCycleDetected: (.circularRedirect, "its redirects go in a circle")
        case .redirectLimitReached: (.circularRedirect, "more than \(redirectsMax) redirects")
        case .tlsHandshakeTimeout: (.tlsIssue, "no TLS in time")
        case .remoteConnectionClosed:
            hasStatus ? (.prematureClose, "the response ended early") : (.noResponse, "it closed the connection")
        default: (.other, error.shortDescription)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { FileAccess.reason($0.errnoCode) } ?? "\(error)"
    }
}
