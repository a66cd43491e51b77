import BusService
import EventLoop
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import StoreHTTP

/// Decides which requests a gateway takes, for all its connections (ADR 0039).
package final class Admission: Sendable {
    /// The decision about a request that could begin.
    enum Decision: Equatable {
        /// It goes on, and its place has to be given back if it has one.
        case admitted(hasPermit: Bool)
        /// The connection is read again after the pause.
        case refused(pause: TimeAmount)
    }

    /// Why the gateway closed a connection.
    enum Closure: String, CaseIterable {
        /// A request did not arrive in time.
        case late
        /// The client did not read.
        case unread
        /// The client sent too much behind a request in turn.
        case behind
        /// All connections together kept too much, and this one's bytes were the oldest.
        case memory
    }

    private struct State {
        var permits: RequestLimiter
        var log = RefusalLog()
        var pace = RefusalPace()
    }

    private let state: Locked<State>
    private let table: RouteTraits
    private let counters: [Urgency: Counter]
    private let closures: [Closure: Counter]
    let limits: ConnectionLimits
    /// The memory that all connections make the gateway keep.
    let memory: ConnectionMemory
    /// The clock of arrivals.
    let now: @Sendable () -> NIODeadline
    private let logger: Logger

    /// - Parameters:
    ///   - permits: The number of requests that may be in work at the same time. Tests have fewer.
    ///   - limits: The limits of connections.
    ///   - now: The clock of arrivals. Tests have their own.
    init(
        _ routes: [HTTPRoute], permits: Int = RequestLimiter.countMax, limits: ConnectionLimits = ConnectionLimits(),
        now: @escaping @Sendable () -> NIODeadline = { .now() }, logger: Logger
    ) {
        state = Locked(State(permits: RequestLimiter(count: permits)))
        table = RouteTraits(routes)
        self.limits = limits
        memory = ConnectionMemory(limits)
        closures = Dictionary(
            uniqueKeysWithValues: Closure.allCases.map {
                ($0, Counter(label: "storebus_http_connections_closed_total", dimensions: [("reason", $0.rawValue)]))
            })
        counters = Dictionary(
            uniqueKeysWithValues: [.query, .purchase, .completion].map { (urgency: Urgency) in
                (urgency, Counter(label: "storebus_http_refused_total", dimensions: [("urgency", urgency.rawValue)]))
            })
        self.now = now
        self.logger = logger
    }

    /// Makes the admission of a gateway with these routes.
    package convenience init(_ routes: [Route], logger: Logger) {
        self.init(routes.map(\.operation), logger: logger)
    }

    func traits(of head: HTTPRequestHead) -> RouteTraits.Traits { table.traits(head.method.rawValue, head.uri) }

    /// Decides about a request.
    /// - Parameter now: The time at which it could begin.
    func decide(_ urgency: Urgency, now: NIODeadline) -> Decision {
        guard urgency != .unlimited else { return .admitted(hasPermit: false) }
        let (pause, toLog) = state.withLock { state -> (TimeAmount?, RefusalLog.Counts?) in
            if state.permits.acquire(urgency) { return (nil, nil) }
            return (state.pace.pause(now: now), state.log.record(urgency, now: now))
        }
        guard let pause else { return .admitted(hasPermit: true) }
        counters[urgency]?.increment()
        if let toLog {
            logger.warning(
                "overloaded, requests are refused",
                metadata: Dictionary(uniqueKeysWithValues: toLog.map { ($0.rawValue, "\($1)") }))
        }
        return .refused(pause: pause)
    }

    /// Gives a place back.
    func release() { state.withLock { $0.permits.release() } }

    /// The number of requests in work.
    var permitsTaken: Int { state.withLock { $0.permits.taken } }

    /// Counts closed connections.
    func closed(_ reason: Closure, _ count: Int = 1) {
        if count > 0 { closures[reason]?.increment(by: count) }
    }
}

/// Spreads refused connections over time. Refusing then takes a bounded part of a core, however many requests come.
struct RefusalPace {
    /// The time between refusals, on average: 3 000 a second.
    static let interval = TimeAmount.nanoseconds(1_000_000_000 / 3_000)
    static let pauseMax = TimeAmount.seconds(2)

    /// When the pause of the refusal before ends.
    private var last = NIODeadline.uptimeNanoseconds(0)

    /// Takes the next turn for a connection.
    mutating func pause(now: NIODeadline) -> TimeAmount {
        last = min(max(last, now) + Self.interval, now + Self.pauseMax)
        return last - now
    }
}

/// When refusals are logged: the first one, and every ten seconds how many there were.
struct RefusalLog {
    typealias Counts = [Urgency: Int]

    static let interval = TimeAmount.seconds(10)

    private var counts: Counts = [:]
    private var last: NIODeadline?

    /// Counts a refusal.
    /// - Returns: The refusals since the last line when a line is due, or else nil.
    mutating func record(_ urgency: Urgency, now: NIODeadline) -> Counts? {
        counts[urgency, default: 0] += 1
        if let last, now - last < Self.interval { return nil }
        last = now
        defer { counts = [:] }
        return counts
    }
}

/// The places of a gateway's requests, and the choice of those that a request may take. A pure state machine.
///
/// There is no queue: a request gets a place at once or is refused.
struct RequestLimiter {
    /// As many as an endpoint of a service has.
    static let countMax = BusServiceLimits.bulkhead

    let count: Int
    private(set) var taken = 0

    /// - Parameter count: How many requests may be in work at the same time.
    init(count: Int = countMax) { self.count = count }

    /// Takes a place while requests of this urgency may still have one.
    /// - Returns: False when the request has to be refused.
    mutating func acquire(_ urgency: Urgency) -> Bool {
        guard taken < limit(of: urgency) else { return false }
        taken += 1
        return true
    }

    mutating func release() {
        precondition(taken > 0, "more places are given back than were taken")
        taken -= 1
    }

    /// How many places may be taken before requests of this urgency are refused.
    private func limit(of urgency: Urgency) -> Int {
        switch urgency {
        case .query: count / 2
        case .purchase: count / 4 * 3
        case .completion: count
        case .unlimited: .max
        }
    }
}

/// How a request is admitted, by its method and target: its urgency and how its body arrives. It is cheaper than the
/// route table: only routes that differ from most are looked at, and nothing is allocated.
struct RouteTraits: Sendable {
    struct Traits: Hashable {
        var urgency = Urgency.query
        var body = HTTPRoute.Body.small
    }

    private struct Entry {
        let method: String
        /// The path's bytes between slashes. Nil for a parameter.
        let segments: [[UInt8]?]
        let traits: Traits
    }

    private let entries: [Entry]

    init(_ routes: [HTTPRoute]) {
        entries = routes.compactMap { route in
            let traits = Traits(urgency: route.urgency, body: route.body)
            guard traits != Traits() else { return nil }
            return Entry(
                method: route.method.rawValue,
                segments: route.path.segments.map { segment in
                    guard case .literal(let literal) = segment else { return nil }
                    return Array(literal.utf8)
                }, traits: traits)
        }
    }

    /// Returns the traits of a request. A target without a route, and one with needless percent-encoding, counts as a
    /// query's with a small body.
    /// - Parameter target: Path and query of the request line.
    func traits(_ method: String, _ target: String) -> Traits {
        var target = target
        return target.withUTF8 { target in
            var path = target.prefix { $0 != UInt8(ascii: "?") }
            if path.starts(with: IsolatedStoreRoutes.pathPrefix.utf8) {
                let rest = path.dropFirst(IsolatedStoreRoutes.pathPrefix.utf8.count)
                path = rest[(rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex)...]
            }
            return entries.first { $0.method == method && Self.matches(path, $0.segments) }?.traits ?? Traits()
        }
    }

    private static func matches(_ path: Slice<UnsafeBufferPointer<UInt8>>, _ segments: [[UInt8]?]) -> Bool {
        var rest = path
        for segment in segments {
            guard rest.popFirst() == UInt8(ascii: "/") else { return false }
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            if let segment {
                guard rest[..<end].elementsEqual(segment) else { return false }
            } else if end == rest.startIndex {
                return false
            }
            rest = rest[end...]
        }
        return rest.isEmpty
    }
}
