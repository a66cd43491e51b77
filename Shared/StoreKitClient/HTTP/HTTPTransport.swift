/// Sends each request over its own connection. It uses no cookies, cache or redirects, so a bearer token goes to the
/// gateway only.
///
/// Each request has its own `URLSession`, because a session keeps connections. Only a stream shares one, with the request
/// before it. A kept connection that the gateway has
/// closed is detected only when it is used again. Then libcurl repeats the request, but Foundation on Linux does not
/// give it the body a second time. Such a request hangs until its timeout.
struct HTTPTransport: Sendable {
    /// The longest time a request may receive no byte.
    let timeout: Duration

    /// Sends a request, and passes its response to `transfer`.
    @discardableResult
    func start(_ request: URLRequest, _ transfer: any Transfer) -> URLSessionTask {
        start(request, in: session(transfer))
    }

    /// Sends a request with a long response over a connection that has carried another response.
    ///
    /// Foundation on Linux watches whether a new connection can be written to, and stops only when its first response
    /// has ended. A connection nearly always can be, so a first response that does not end takes a whole core.
    /// - Parameter first: The request before it, in the same connection. Its response is not looked at.
    func start(_ request: URLRequest, after first: URLRequest, _ transfer: any Transfer) async -> URLSessionTask {
        let session = session(transfer)
        #if canImport(FoundationNetworking)
            await end(of: first, in: session)
        #endif
        return start(request, in: session)
    }

    /// Sends a request, and waits for the end of its response. `URLSession.data(for:)` of Foundation on Linux may block
    /// its thread without end when its caller is cancelled, because it resumes the caller on the session's own queue.
    private func end(of request: URLRequest, in session: URLSession) async {
        let running = LockedValue<URLSessionTask?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = session.dataTask(with: request) { _, _, _ in continuation.resume() }
                running.withLock { $0 = task }
                task.resume()
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
    }

    private func session(_ transfer: any Transfer) -> URLSession {
        URLSession(configuration: configuration, delegate: TransferDelegate(transfer), delegateQueue: nil)
    }

    private func start(_ request: URLRequest, in session: URLSession) -> URLSessionTask {
        let task = session.dataTask(with: request)
        task.resume()
        // The session is released when the task has ended.
        session.finishTasksAndInvalidate()
        return task
    }

    /// Sends a request and returns the complete response. Cancelling the caller cancels the request.
    /// - Throws: `URLError`, with `dataLengthExceedsMaximum` for a body of more than `limit` bytes, or
    ///   `CancellationError`.
    func load(_ request: URLRequest, limit: Int) async throws -> HTTPResponse {
        let running = LockedValue<URLSessionTask?>(nil)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let task = start(request, WholeTransfer(limit: limit) { continuation.resume(with: $0) })
                running.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
    }

    private var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        return configuration
    }
}

/// Passes the response of a session's last request to its transfer.
private final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let transfer: any Transfer

    init(_ transfer: any Transfer) { self.transfer = transfer }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { transfer.received(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if !transfer.received(data) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfer.ended(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension Error {
    /// Whether the connection failed, so that the request was never sent.
    var isBeforeConnection: Bool {
        switch (self as? URLError)?.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .unsupportedURL:
            true
        default: false
        }
    }
}
