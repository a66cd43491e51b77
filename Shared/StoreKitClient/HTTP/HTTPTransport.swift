import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A `URLSession` whose answers go to a ``Transfer`` each. Without cookies, cache or redirects: a bearer token goes to
/// the gateway and to nobody a gateway might name.
final class HTTPTransport: Sendable {
    private let session: URLSession
    private let routing: TransferRouting

    /// - Parameter timeout: How long a request may be without a byte.
    init(timeout: Duration) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        routing = TransferRouting()
        session = URLSession(configuration: configuration, delegate: routing, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request; `transfer` hears of everything that comes back, unless the task is cancelled before.
    @discardableResult
    func start(_ request: URLRequest, _ transfer: any Transfer) -> URLSessionTask {
        let task = session.dataTask(with: request)
        routing.add(transfer, for: task)
        task.resume()
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
}

/// Knows which transfer a task's answer is for.
private final class TransferRouting: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Locked<[Int: any Transfer]>([:])

    func add(_ transfer: any Transfer, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { transfer(of: dataTask)?.received(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if transfer(of: dataTask)?.received(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.ended(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    private func transfer(of task: URLSessionTask) -> (any Transfer)? {
        transfers.withLock { $0[task.taskIdentifier] }
    }
}
