import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests, each over its own connection. It uses no cookies, cache or redirects: a bearer token goes to the
/// gateway and to no host that a redirect names.
///
/// A `URLSession` for each request, because a session keeps connections. A connection that the store has closed
/// meanwhile is detected only when it is used again; libcurl then repeats the request by itself, and Foundation on
/// Linux does not hand it the body a second time. Such a request hangs until its timeout.
struct HTTPTransport: Sendable {
    /// How long a request may be without a byte.
    let timeout: Duration

    /// Sends a request; `transfer` receives everything that comes back, unless the task is cancelled before.
    @discardableResult
    func start(_ request: URLRequest, _ transfer: any Transfer) -> URLSessionTask {
        let session = URLSession(
            configuration: configuration, delegate: TransferDelegate(transfer), delegateQueue: nil)
        let task = session.dataTask(with: request)
        task.resume()
        // The session goes when the task has ended.
        session.finishTasksAndInvalidate()
        return task
    }

    /// Sends a request and waits for the whole answer. Cancelling the caller cancels the request.
    func load(_ request: URLRequest, limit: Int) async throws -> HTTPAnswer {
        let running = Locked<URLSessionTask?>(nil)
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

/// Hands a session's only answer to its transfer.
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
    /// The connection was never made, so the request was never sent.
    var isBeforeConnection: Bool {
        switch (self as? URLError)?.code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
            .unsupportedURL:
            true
        default: false
        }
    }
}
