import NIOCore
import NIOHTTP1
import PlantedBugs
import StoreHTTP

/// The requests of one connection, one after the other. A pure state machine, whose steps ``ConnectionHandler``
/// performs.
///
/// A request begins when it is whole, or when its handler reads the body itself. The next one begins when the response
/// before it has left the gateway. Until then the client is not read, but for bytes on their way.
struct ConnectionTurns {
    enum Phase: Equatable {
        /// A request arrives, or nothing does.
        case arriving
        /// A request has begun. Its response has not left, or its body is still coming.
        case answering
        /// A refused client's connection is not read.
        case paused
        /// No more requests begin. The connection is closed when the client has closed its end, or soon.
        case closing
    }

    /// Something that the client sent, in order.
    enum Item {
        case part(HTTPServerRequestPart)
        case failure(any Error)
        case inputEnd
    }

    /// The next step after an item.
    enum Step {
        case none
        /// Decides whether the request begins, and tells with ``admitted(_:)`` or ``refused(pauses:)``.
        case begin(Request)
        /// Answers 400 for a `Host` that is missing or there twice, and closes.
        case rejectHost(HTTPRequestHead)
        case pass(Item)
    }

    /// A request that begins.
    struct Request {
        let head: HTTPRequestHead
        var body: ByteBuffer?
        let traits: RouteTraits.Traits
        var isWhole = false
    }

    private enum Response { case none, begun, complete, gone }

    private(set) var phase = Phase.arriving
    /// The request whose body is arriving.
    private(set) var arriving: Request?
    private var waiting = CircularBuffer<Item>()
    /// Whether the request in turn has arrived as a whole.
    private var isWhole = true
    /// Whether the rest of the request in turn is dropped.
    private var drops = false
    /// The bytes that an announced body still has.
    private(set) var bodyRest = 0
    private var response = Response.none
    private var hasPermit = false
    private var pauses = false
    private var closes = false

    /// Whether the client's next part belongs to the request in turn or is the next request.
    var isReading: Bool { phase == .arriving || phase == .answering && !isWhole }

    /// Whether a response has begun and has not left the gateway.
    var isSending: Bool { phase == .answering && (response == .begun || response == .complete) }

    /// Whether the rest of a request in turn is awaited.
    var isAwaitingRest: Bool { phase == .answering && !isWhole || arriving != nil }

    /// Returns the next item parsed behind the request in turn, once its turn has come.
    mutating func next() -> Item? { isReading ? waiting.popFirst() : nil }

    /// Takes an item that the client sent.
    /// - Parameter traits: Returns the traits of a request's route.
    mutating func receive(_ item: Item, traits: (HTTPRequestHead) -> RouteTraits.Traits) -> Step {
        guard phase != .closing else { return .none }
        guard isReading else {
            // A client that hangs up is seen at once, unless it sent more before.
            if case .inputEnd = item, waiting.isEmpty { return .pass(item) }
            // Bounded: the parser gets few bytes at once, and none behind a whole request.
            waiting.append(item)
            return .none
        }
        bodyRest = max(0, bodyRest - item.bodyBytes)
        if phase == .answering { return receiveRest(item) }
        switch item {
        case .part(.head(let head)):
            guard Self.hasOneHost(head) else { return .rejectHost(head) }
            let request = Request(head: head, traits: traits(head))
            arriving = request
            bodyRest = request.announced
            return request.isAwaited ? .none : begin()
        case .part(.body(var bytes)):
            if arriving?.body == nil { arriving?.body = bytes } else { arriving?.body?.writeBuffer(&bytes) }
            return arriving?.isAwaited == true ? .none : begin()
        case .part(.end):
            arriving?.isWhole = true
            return begin()
        case .failure:
            guard arriving != nil else { return .pass(item) }
            // The handler learns what came before the error.
            waiting.prepend(item)
            return begin()
        case .inputEnd: return .pass(item)
        }
    }

    private mutating func receiveRest(_ item: Item) -> Step {
        if case .part(.end) = item {
            isWhole = true
            let step: Step = drops ? .none : .pass(item)
            endTurnIfOver()
            return step
        }
        if case .part = item, drops { return .none }
        return .pass(item)
    }

    private mutating func begin() -> Step {
        guard let request = arriving else { return .none }
        arriving = nil
        (phase, response, isWhole) = (.answering, .none, request.isWhole)
        (drops, pauses) = (false, false)
        closes = closes || !request.head.isKeepAlive
        return .begin(request)
    }

    /// The request has begun.
    mutating func admitted(hasPermit: Bool) { self.hasPermit = hasPermit }

    /// The request got a complete response from the gateway's edge, so its rest is dropped.
    mutating func refused(pauses: Bool = false, closes: Bool = false) {
        if phase == .arriving { (phase, isWhole, arriving) = (.answering, true, nil) }
        (drops, self.pauses, response) = (true, pauses, .complete)
        if closes { self.closes = true }
    }

    /// The response's head is written. Work is done but for the sending.
    /// - Returns: Whether a place has to be given back.
    mutating func responseBegan(closes: Bool) -> Bool {
        // Without a request it is about one that could not be parsed.
        if phase == .arriving { (phase, isWhole, self.closes) = (.answering, true, true) }
        response = .begun
        if closes { self.closes = true }
        return takePermit()
    }

    /// The response's end is written.
    mutating func responseEnded() { response = .complete }

    /// The last byte of the response is with the client's connection.
    mutating func responseLeft() {
        response = .gone
        if closes {
            phase = .closing
            waiting.removeAll()
        } else if pauses {
            phase = .paused
        } else {
            endTurnIfOver()
        }
    }

    mutating func pauseEnded() {
        guard phase == .paused else { return }
        (phase, pauses) = (.answering, false)
        endTurnIfOver()
    }

    /// Ends the connection after the request in turn.
    /// - Returns: Whether it can be closed at once.
    mutating func closeAfterTurn() -> Bool {
        closes = true
        guard phase != .answering || response == .gone else { return false }
        phase = .closing
        return true
    }

    /// Returns the place of a request whose connection has ended, if it has one.
    mutating func takePermit() -> Bool {
        defer { hasPermit = false }
        return hasPermit
    }

    private mutating func endTurnIfOver() {
        if response == .gone, isWhole, phase == .answering { phase = .arriving }
    }

    /// RFC 9112 §3.2.
    private static func hasOneHost(_ head: HTTPRequestHead) -> Bool {
        var count = 0
        for (name, _) in head.headers where name.utf8.count == 4 && name.lowercased() == "host" { count += 1 }
        return count == 1 || count == 0 && head.version == .http1_0
    }
}

extension ConnectionTurns.Item {
    fileprivate var bodyBytes: Int {
        if case .part(.body(let bytes)) = self { bytes.readableBytes } else { 0 }
    }
}

extension ConnectionTurns.Request {
    /// The size of the body that the head announces. 0 without one.
    fileprivate var announced: Int { head.headers.first(name: "content-length").flatMap(Int.init) ?? 0 }

    /// Whether the request waits for more of its body.
    fileprivate var isAwaited: Bool {
        if PlantedBug.isActive(.halvesHoldPermits), announced <= 4_096 { return false }
        guard case .whole(let max) = traits.body else { return false }
        if let body { return body.readableBytes <= max }
        return announced <= max
    }
}
