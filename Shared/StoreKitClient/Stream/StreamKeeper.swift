import Foundation
internal import StoreHTTP
internal import StoreModels

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
    let connection: StoreConnection
    let transport: HTTPTransport
    let sessions: SessionKeeper
    let timing: ClientTiming

    /// Runs until its task is cancelled, its listener deallocated, or a newer launch supersedes it.
    func run(_ listener: @escaping @Sendable () -> (any StreamListener)?) async {
        var backoff = RetryBackoff(timing)
        var isLaunch = true
        while !Task.isCancelled {
            do {
                let session = try await (isLaunch ? sessions.sessionForLaunch(handler) : sessions.session())
                isLaunch = false
                try await read(token: session.token, listener) { backoff.reset() }
                note("the stream has ended and is opened again", listener)
            } catch End.superseded {
                listener()?.streamSuperseded()
                return
            } catch End.refused(let problem, let token) where problem.status == 401 {
                _ = try? await sessions.session(insteadOf: token)
            } catch {
                note("the stream broke and is opened again: \(Self.name(error))", listener)
            }
            guard listener() != nil else { return }
            try? await Task.sleep(for: backoff.next())
        }
    }

    /// Logs a sentence, unless the stream is cancelled or its listener deallocated.
    private func note(_ sentence: String, _ listener: () -> (any StreamListener)?) {
        guard !Task.isCancelled, listener() != nil else { return }
        connection.log?(sentence)
    }

    /// Reads one stream to its end.
    private func read(
        token: String, _ listener: @Sendable () -> (any StreamListener)?, onSynchronized: () -> Void
    ) async throws {
        var call = HTTPCall(TransactionRoutes.stream)
        call.headers["Accept"] = "text/event-stream"
        guard let request = call.request(to: connection, token: token) else { throw URLError(.badURL) }
        listener()?.streamOpening(number)
        let transfer = StreamTransfer(bytesMax: ClientLimits.streamBytesMax)
        let task = transport.start(request, transfer)
        defer { task.cancel() }
        var parser = ServerSentEventParser(byteCountMax: ClientLimits.eventBytesMax)
        var refusal: HTTPResponse?
        for try await part in transfer.parts {
            switch part {
            case .head(let head): if !head.isSuccess { refusal = head }
            case .data(let data) where refusal != nil: refusal?.body += data
            case .data(let data):
                for case .event(let event) in try parser.append(data) {
                    guard let listener = listener() else { return }
                    if try take(event, token, listener) { onSynchronized() }
                    await listener.caughtUp()
                }
                transfer.consumed(data.count)
            }
        }
        if let refusal {
            throw End.refused(StoreProblem(status: refusal.status, body: refusal.body), token: token)
        }
    }

    /// Passes an event to the listener.
    /// - Returns: Whether the stream has delivered every unfinished transaction.
    /// - Throws: `End.superseded` when a newer launch of the app has taken over.
    private func take(
        _ event: ServerSentEvent, _ token: String, _ listener: any StreamListener
    ) throws -> Bool {
        guard let received = StreamEvent(event) else {
            connection.log?("an event of the stream was not understood: \(event.name)")
            return false
        }
        if received == .superseded, sessions.superseded(token) { throw End.superseded }
        listener.received(received, from: number)
        return received == .synchronized
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

/// Receives the events of a stream. Each stream has a number, so that the listener ignores late events of an earlier
/// one.
protocol StreamListener: AnyObject, Sendable {
    /// Prepares for a new stream: a known transaction that it does not bring has left the queue.
    func streamOpening(_ number: Int)
    /// Receives an event of the stream with this number.
    func received(_ event: StreamEvent, from number: Int)
    /// Waits for the app's callbacks, so that a slow observer slows the reading.
    func caughtUp() async
    /// Receives the end of the stream after a newer launch. It stays closed until an observer is registered anew.
    func streamSuperseded()
}

/// A weak reference to a listener: the stream of a deallocated queue ends.
struct StreamListenerReference: Sendable {
    private(set) weak var listener: (any StreamListener)?

    init(_ listener: any StreamListener) { self.listener = listener }
}
