import EventLoop

/// The HTTP connections of the process, on a loop of their own that the first request starts.
///
/// They are never closed: the loop lives as long as the process.
package final class CurlConnections: @unchecked Sendable {
    // Why unchecked: `multi` is touched on the loop only.

    /// Maximum number of connections to a host. Each open stream holds one, and a run of chaos has many besides its
    /// requests.
    private static let connectionsMax = 1_024

    private static let shared = Result { () throws(UVError) in
        CurlConnections(loop: try UVLoop.start(name: "http"))
    }

    fileprivate let loop: UVLoop
    fileprivate lazy var multi = CurlMulti(loop: loop, connectionsMax: Self.connectionsMax)

    private init(loop: UVLoop) { self.loop = loop }

    /// Sends a request and waits for its whole response.
    /// - Parameters:
    ///   - time: Timeout of the whole exchange.
    ///   - bound: The handling of a larger body.
    package static func exchange(_ request: CurlRequest, within time: Duration, _ bound: CurlBodyBound) async
        -> CurlResponse
    {
        await start(request, within: time, .whole(bound))
    }

    /// Sends a request and waits for the head of its response.
    /// - Parameters:
    ///   - time: Timeout of the head.
    ///   - idle: Timeout without a byte of the body, unless the reader is behind.
    package static func open(_ request: CurlRequest, within time: Duration, idle: Duration?) async -> CurlResponse {
        await start(request, within: time, .streamed(idle: idle))
    }

    private static func start(
        _ request: CurlRequest, within time: Duration, _ mode: CurlExchange.Mode
    ) async -> CurlResponse {
        switch shared {
        case .success(let connections):
            let exchange = CurlExchange(connections, mode)
            return await exchange.start(request, within: time)
        case .failure(let error): return CurlResponse(failure: CurlFailure(.other, error.description))
        }
    }
}

/// The bound of a body that is waited for.
package struct CurlBodyBound: Hashable, Sendable {
    var bytesMax: Int
    /// Whether a larger body is cut there, and fails the request otherwise.
    var isCut: Bool

    package init(bytesMax: Int, isCut: Bool = false) {
        self.bytesMax = bytesMax
        self.isCut = isCut
    }
}

/// A response, or the part that came before a failure.
package struct CurlResponse: Sendable {
    /// Nil without a head.
    package internal(set) var status: Int?
    package internal(set) var fields: [CurlField] = []
    /// The target of a redirect. Nil without a redirect.
    package internal(set) var location: String?
    /// The body of ``CurlConnections/exchange(_:within:_:)``.
    package internal(set) var body: [UInt8] = []
    /// The body of ``CurlConnections/open(_:within:idle:)``.
    package internal(set) var stream: CurlBodyStream?
    /// Set when the response is not whole.
    package internal(set) var failure: CurlFailure?

    /// The first field of a name in lower case.
    package subscript(_ name: String) -> String? { fields[name] }
}

/// A body in pieces as they arrive, for one reader. While it does not read, the connection is not read either.
package final class CurlBodyStream: AsyncSequence, Sendable {
    private let exchange: CurlExchange

    fileprivate init(_ exchange: CurlExchange) { self.exchange = exchange }

    /// A reader that leaves ends the connection.
    deinit { exchange.stop() }

    package func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Waits for the rest.
    package func rest(within time: Duration, _ bound: CurlBodyBound) async -> CurlResponse {
        await exchange.rest(within: time, bound)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: CurlBodyStream

        package func next() async throws -> [UInt8]? { try await stream.exchange.next() }
    }
}

/// One request and its response, on the loop.
private final class CurlExchange: CurlReceiver, @unchecked Sendable {
    // Why unchecked: tasks pass it to the loop, and everything in it is touched there. Cancellation may overtake a start.

    enum Mode {
        case whole(CurlBodyBound)
        case streamed(idle: Duration?)
    }

    private enum Wait { case head, piece, end }

    /// Bytes of a stream that wait for its reader before the connection is paused.
    private static let waitingBytesMax = 64 * 1024

    private let connections: CurlConnections
    private var mode: Mode
    private var timer: LoopTimer?
    private var transfer: CurlTransfer?
    private var waiter: (wait: Wait, continuation: CheckedContinuation<CurlResponse, Never>)?
    private var isPaused = false
    private var hasEnded = false
    /// The head, and the part of the body that no reader has taken.
    private var response = CurlResponse()

    init(_ connections: CurlConnections, _ mode: Mode) {
        self.connections = connections
        self.mode = mode
    }

    // MARK: Calls of tasks

    func start(_ request: CurlRequest, within time: Duration) async -> CurlResponse {
        let wait: Wait = if case .whole = mode { .end } else { .head }
        var response = await waiting(for: wait) { exchange in exchange.begin(request, within: time) }
        if wait == .head, response.failure == nil { response.stream = CurlBodyStream(self) }
        return response
    }

    /// - Returns: Nil after the last piece.
    func next() async throws -> [UInt8]? {
        let response = await waiting(for: .piece) { _ in }
        guard response.body.isEmpty else { return response.body }
        if let failure = response.failure { throw failure }
        return nil
    }

    func rest(within time: Duration, _ bound: CurlBodyBound) async -> CurlResponse {
        await waiting(for: .end) { exchange in
            exchange.mode = .whole(bound)
            exchange.limit(time)
        }
    }

    func stop() {
        connections.loop.execute { self.end(CurlFailure(.stopped, "the request was cancelled")) }
    }

    private func waiting(
        for wait: Wait, _ work: @escaping @Sendable (CurlExchange) -> Void
    ) async -> CurlResponse {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connections.loop.execute { [self] in
                    waiter = (wait, continuation)
                    work(self)
                    answer()
                    resume()
                }
            }
        } onCancel: {
            stop()
        }
    }

    // MARK: Steps

    private func begin(_ request: CurlRequest, within time: Duration) {
        guard !hasEnded else { return }
        let timer = LoopTimer(loop: connections.loop)
        self.timer = timer
        limit(time)
        do throws(CurlFailure) {
            let transfer = try CurlTransfer(request, for: self)
            self.transfer = transfer
            let isTaken = connections.multi.begin(transfer) { [self] failure in finish(failure) }
            if !isTaken { end(CurlFailure(.other, "libcurl did not take the request")) }
        } catch {
            end(error)
        }
    }

    /// Gives the next step a time limit. Nil sets no limit.
    private func limit(_ time: Duration?) {
        guard let time else { return timer?.stop() ?? () }
        timer?.start(after: time) { [self] in end(CurlFailure(.timedOut, "no answer in time")) }
    }

    /// Reads on if a task waits for more or has taken the available bytes.
    private func resume() {
        guard isPaused, let transfer else { return }
        isPaused = false
        if case .streamed(let idle) = mode { limit(idle) }
        connections.multi.resume(transfer)
    }

    private func finish(_ failure: CurlFailure?) {
        transfer = nil
        guard failure?.kind == .stopped, case .whole(let bound) = mode else { return end(failure) }
        end(bound.isCut ? nil : CurlFailure(.other, "the response has more than \(bound.bytesMax) bytes"))
    }

    /// Ends it. Nil is the end of a whole response.
    private func end(_ failure: CurlFailure?) {
        guard !hasEnded else { return }
        hasEnded = true
        timer?.close()
        response.failure = failure
        if let transfer { connections.multi.end(transfer) }
        transfer = nil
        answer()
    }

    /// Answers the waiting task if its result is available.
    private func answer() {
        guard let waiter else { return }
        let isThere =
            switch waiter.wait {
            case .head: hasEnded || response.status != nil
            case .piece: hasEnded || !response.body.isEmpty
            case .end: hasEnded
            }
        guard isThere else { return }
        self.waiter = nil
        var answer = response
        if waiter.wait == .head { answer.body = [] } else { response.body = [] }
        // A stream fails when the bytes before that are read.
        if waiter.wait == .head, answer.status != nil { answer.failure = nil }
        waiter.continuation.resume(returning: answer)
    }

    // MARK: Response

    func admits(_ address: UnsafeRawPointer) -> Bool { true }

    func takeHead(of transfer: CurlTransfer) -> Bool {
        (response.status, response.fields, response.location) = (transfer.status, transfer.fields, transfer.location)
        if case .streamed(let idle) = mode { limit(idle) }
        answer()
        return true
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> CurlReaction {
        switch mode {
        case .whole(let bound):
            guard response.body.count + bytes.count > bound.bytesMax else { break }
            if bound.isCut { response.body += bytes.prefix(bound.bytesMax - response.body.count) }
            return .ended
        case .streamed where response.body.count >= Self.waitingBytesMax:
            isPaused = true
            limit(nil)
            return .paused
        case .streamed(let idle): limit(idle)
        }
        response.body += bytes
        answer()
        return .taken
    }
}
