import CurlLoop
import StoreHTTP
import StoreModels

/// Posts notifications to apps' servers. Tests of commands provide their own.
protocol NotificationForwarder: Sendable {
    /// Posts a signed notification as the store does.
    /// - Parameter time: Timeout for the whole exchange, including redirects and the response's body.
    /// - Returns: Nil when the task was cancelled before the outcome was known.
    func post(_ signedPayload: String, to url: String, within time: Duration) async -> ForwardOutcome?
}

/// The outcome of a forwarded notification.
struct ForwardOutcome: Hashable, Sendable {
    var result: SendAttemptResult
    /// The status of the last response. Nil without a response.
    var status: Int?
    var duration: Duration
    /// The beginning of the response's body, or the error, as a ``PrintableText``.
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

/// ``NotificationForwarder`` over HTTP/1.1. Redirects are followed with the same body, as the store does.
struct HTTPNotificationForwarder: NotificationForwarder {
    private static let redirectsMax = 5
    /// Maximum size of a response's body that is read.
    private static let bound = CurlBodyBound(bytesMax: 64 * 1024, isCut: true)
    /// Maximum size that is kept.
    private static let bodyStartByteCountMax = 200

    func post(_ signedPayload: String, to url: String, within time: Duration) async -> ForwardOutcome? {
        let start = ContinuousClock.now
        var (url, seen) = (url, [String]())
        while !Task.isCancelled {
            seen.append(url)
            let response = await send(signedPayload, to: url, within: time - (ContinuousClock.now - start))
            let duration = ContinuousClock.now - start
            if let failure = response.failure {
                guard failure.kind != .stopped else { return nil }
                return ForwardOutcome(
                    SendAttemptResult(failure), status: response.status, duration: duration,
                    reason: failure.kind == .timedOut ? "no answer in \(Format.delay(time))" : failure.reason)
            }
            guard let next = response.location else {
                let beginning = response.body.prefix(Self.bodyStartByteCountMax)
                return ForwardOutcome(
                    status: response.status ?? 0, duration: duration,
                    bodyStart: beginning.isEmpty ? nil : String(decoding: beginning, as: UTF8.self))
            }
            guard let target = CurlURL.resolve(next, against: url) else {
                return ForwardOutcome(
                    .invalidResponse, status: response.status, duration: duration, reason: "Location: \(next)")
            }
            guard !seen.contains(where: { $0.isExactly(target) }), seen.count <= Self.redirectsMax else {
                return ForwardOutcome(
                    .circularRedirect, status: response.status, duration: duration,
                    reason: seen.count > Self.redirectsMax
                        ? "more than \(Self.redirectsMax) redirects" : "its redirects go in a circle")
            }
            url = target
        }
        return nil
    }

    private func send(_ signedPayload: String, to url: String, within time: Duration) async -> CurlResponse {
        let body = JSONText.line(["signedPayload": .string(signedPayload)])
        var request = CurlRequest(
            "POST", url, headers: [("Content-Type", "application/json")], body: .bytes(Array(body.utf8)))
        // A server that was started again would have closed a kept connection.
        request.isAlone = true
        return await CurlConnections.exchange(request, within: time, Self.bound)
    }
}
