internal import StoreHTTP
internal import StoreModels

/// Keeps one stream open while there is an observer, and reopens it when it breaks.
///
/// Each stream begins with every unfinished transaction, so a broken connection loses nothing. Changes that were
/// delivered before are not delivered again (``UnfinishedTransactions``).
struct StreamKeeper: Sendable {
    private enum End: Error {
        case superseded
        case refused(StoreProblem, token: String)
    }

    /// The number of the stream in its queue. A later stream has a greater one.
    let number: Int
    /// The handling of promoted purchases that the launch declares to the store.
    let handler: DeviceLaunch.PromotedPurchases
    /// Whether the stream has StoreKit 2's events.
    let isSigned: Bool
    let connection: StoreConnection
    let transport: HTTPTransport
    let sessions: SessionKeeper
    let timing: ClientTiming

    /// Runs until its task is cancelled, its queue deallocated, or a newer launch supersedes it.
    func run(_ core: @escaping @Sendable () -> QueueCore?) async {
        var backoff = RetryBackoff(timing)
        var isLaunch = true
        while !Task.isCancelled {
            do {
                let session = try await (isLaunch ? sessions.sessionForLaunch(handler) : sessions.session())
                isLaunch = false
                try await read(token: session.token, core) { backoff.reset() }
                note("the stream has ended and is opened again", core)
            } catch End.superseded {
                core()?.streamSuperseded(number)
                return
            } catch End.refused(let problem, let token) where problem.status == 401 {
                _ = try? await sessions.session(insteadOf: token)
            } catch {
                note("the stream broke and is opened again: \(Self.name(error))", core)
            }
            guard core() != nil else { return }
            try? await Task.sleep(for: backoff.next())
        }
    }

    /// Logs a sentence, unless the stream is cancelled or its queue deallocated.
    private func note(_ sentence: String, _ core: () -> QueueCore?) {
        guard !Task.isCancelled, core() != nil else { return }
        connection.log?(sentence)
    }

    /// Reads one stream to its end.
    private func read(
        token: String, _ core: @Sendable () -> QueueCore?, onSynchronized: () -> Void
    ) async throws {
        var call = HTTPCall(TransactionRoutes.stream, query: ["form": isSigned ? "2" : nil])
        call.headers["Accept"] = "text/event-stream"
        guard let request = call.request(to: connection.gateway, token: token),
            var first = HTTPCall(MonitoringRoutes.liveness).request(to: connection.gateway, token: nil)
        else { throw URLError(.badURL) }
        first.setValue("keep-alive", forHTTPHeaderField: "Connection")
        first.timeoutInterval = timing.requestTimeout / .seconds(1)
        core()?.streamOpening(number)
        let transfer = StreamTransfer(bytesMax: ClientLimits.streamBytesMax)
        let task = await transport.start(request, after: first, transfer)
        defer { task.cancel() }
        var parser = ServerSentEventParser(byteCountMax: ClientLimits.eventBytesMax)
        var refusal: HTTPResponse?
        for try await part in transfer.parts {
            switch part {
            case .head(let head): if !head.isSuccess { refusal = head }
            case .data(let data) where refusal != nil: refusal?.body += data
            case .data(let data):
                for case .event(let event) in try parser.append(data) {
                    guard let core = core() else { return }
                    if try await take(event, token, core) { onSynchronized() }
                    await core.caughtUp()
                }
                transfer.consumed(data.count)
            }
        }
        if let refusal {
            throw End.refused(StoreProblem(status: refusal.status, body: refusal.body), token: token)
        }
    }

    /// Passes an event to the queue.
    /// - Returns: Whether the stream has delivered every unfinished transaction.
    /// - Throws: `End.superseded` when a newer launch of the app has taken over.
    private func take(
        _ event: ServerSentEvent, _ token: String, _ core: QueueCore
    ) async throws -> Bool {
        guard let received = StreamEvent(event) else {
            connection.log?("an event of the stream was not understood: \(event.name)")
            return false
        }
        // A stream that this queue has replaced by itself is cancelled.
        if received == .superseded, !Task.isCancelled, sessions.superseded(token) { throw End.superseded }
        await core.received(received, from: number)
        if case .synchronized = received { return true }
        return false
    }

    /// Returns the error's code, without text that could contain an address or token.
    private static func name(_ error: any Error) -> String {
        switch error {
        case End.refused(let problem, _): "\(problem.status) \(problem.code)"
        case let problem as StoreProblem: "\(problem.status) \(problem.code)"
        case let error as URLError: "URLError \(error.code.rawValue)"
        default: "\(type(of: error))"
        }
    }
}

/// Passes bytes to one reader as they arrive.
///
/// `URLSession` has no back-pressure, so the bytes that wait for the reader are limited. Beyond `bytesMax` the transfer
/// ends with `dataLengthExceedsMaximum`.
final class StreamTransfer: Transfer {
    /// A part of a response.
    enum Part: Sendable {
        case head(HTTPResponse)
        case data(Data)
    }

    let parts: AsyncThrowingStream<Part, any Error>
    private let continuation: AsyncThrowingStream<Part, any Error>.Continuation
    private let bytesMax: Int
    private let waiting = LockedValue(0)

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
        (parts, continuation) = AsyncThrowingStream.makeStream()
    }

    func received(_ response: HTTPURLResponse) { continuation.yield(.head(HTTPResponse(response))) }

    func received(_ data: Data) -> Bool {
        let isWithinBound = waiting.withLock { waiting in
            waiting += data.count
            return waiting <= bytesMax
        }
        if isWithinBound {
            continuation.yield(.data(data))
        } else {
            continuation.finish(throwing: URLError(.dataLengthExceedsMaximum))
        }
        return isWithinBound
    }

    func ended(_ error: (any Error)?) { continuation.finish(throwing: error) }

    /// Records that the reader has processed `count` bytes.
    func consumed(_ count: Int) { waiting.withLock { $0 -= count } }
}
