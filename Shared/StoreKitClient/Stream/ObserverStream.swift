import Foundation
internal import StoreHTTP
internal import StoreModels
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps one stream open while there is an observer: reads it, and reopens it when it breaks.
///
/// Each opening begins with everything unfinished, so nothing is lost with a connection. Changes that were delivered
/// before are not delivered again (``TransactionTable``).
struct ObserverStream: Sendable {
    private enum End: Error {
        case superseded
        case refused(StoreProblem, token: String)
    }

    /// Which of the queue's streams this is.
    let number: Int
    /// How the app handles promoted purchases; the launch declares it to the store.
    let handler: DeviceLaunch.PromotedPurchases
    let connection: StoreConnection
    let transport: HTTPTransport
    let sessions: SessionKeeper
    let timing: ClientTiming

    /// Runs until it is cancelled, the listener is gone, or a newer launch has taken over.
    func run(_ listener: @escaping @Sendable () -> (any StreamListener)?) async {
        var backoff = Backoff(timing)
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

    /// Logs what becomes of the stream, unless its listener is gone: then it is not opened again.
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
        var refusal: HTTPAnswer?
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

    /// - Returns: Whether the stream has delivered everything unfinished.
    private func take(
        _ event: ServerSentEvent, _ token: String, _ listener: any StreamListener
    ) throws -> Bool {
        guard let told = StreamEvent(event) else {
            connection.log?("an event of the stream was not understood: \(event.name)")
            return false
        }
        if told == .superseded, sessions.superseded(token) { throw End.superseded }
        listener.received(told, from: number)
        return told == .synchronized
    }

    /// Without what an error might quote: no address, no token.
    private static func name(_ error: any Error) -> String {
        switch error {
        case End.refused(let problem, _): "\(problem.status) \(problem.code)"
        case let problem as StoreProblem: "\(problem.status) \(problem.code)"
        case let error as URLError: "URLError \(error.code.rawValue)"
        default: "\(type(of: error))"
        }
    }
}

/// Hears what an observer's stream brings. Each stream has a number, and only the latest is listened to: what an older
/// one still has under way says nothing of what is true now.
protocol StreamListener: AnyObject, Sendable {
    /// A stream is about to be requested: known transactions that do not come again in it are gone.
    func streamOpening(_ number: Int)
    func received(_ event: StreamEvent, from number: Int)
    /// Returns when callbacks have caught up, so that a slow observer slows the reading.
    func caughtUp() async
    /// The app was launched again elsewhere; this stream stays closed until an observer is registered anew.
    func streamSuperseded()
}

/// Leads to a listener without keeping it: the stream of a queue that is gone ends.
struct StreamListenerReference: Sendable {
    private(set) weak var listener: (any StreamListener)?

    init(_ listener: any StreamListener) { self.listener = listener }
}
