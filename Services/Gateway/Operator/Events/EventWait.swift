import GatewayEdge
import StoreHTTP
import StoreModels

/// The query of `GET /admin/v1/events/wait`.
struct EventWait {
    /// The maximum waiting time. More is 400.
    static let longest = Duration.seconds(60)
    /// The waiting time without `timeout`.
    static let usual = Duration.seconds(30)

    /// The log to search. A wait that names no type is for transactions.
    enum Log: Sendable {
        case transactions(StoreEvent.Kind?)
        case intents(IntentEvent.Kind)

        fileprivate var name: EventFeed.Log {
            switch self {
            case .transactions: .transactions
            case .intents: .intents
            }
        }
    }

    let log: Log
    let after: String?
    let account: String?
    let bundleId: String?
    let timeout: Duration

    /// - Throws: `requestInvalid`.
    init(_ call: Call) throws(StoreError) {
        let query = call.query
        log = try Self.log(of: query.single("type"))
        after = try Self.position(call.after(), in: log.name)
        account = try call.accountFilter()
        bundleId = try call.bundleFilter()
        timeout = try query.single("timeout").map(Self.duration) ?? Self.usual
    }

    private static func log(of type: String?) throws(StoreError) -> Log {
        guard let type else { return .transactions(nil) }
        if let kind = StoreEvent.Kind(rawValue: type) { return .transactions(kind) }
        if let kind = IntentEvent.Kind(rawValue: type) { return .intents(kind) }
        let known = StoreEvent.Kind.allCases.map(\.rawValue) + IntentEvent.Kind.allCases.map(\.rawValue)
        throw .invalid("query type", "must be one of \(known.joined(separator: ", "))")
    }

    /// Reads the position in one log. A stream's cursor has those of both.
    private static func position(_ after: String?, in log: EventFeed.Log) throws(StoreError) -> String? {
        guard let after, let positions = EventFeed.positions(after) else { return after }
        guard let position = positions[log] else {
            throw .invalid(
                "query after", "has no position among the events of \(log.rawValue); leave it out to wait from now on")
        }
        return position
    }

    /// Parses `500ms`, `5s`, `1m`, or seconds without a unit. The value 0 does not wait: it returns the current
    /// position.
    static func duration(_ text: String) throws(StoreError) -> Duration {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit: Duration? =
            switch text.dropFirst(digits.count) {
            case "ms": .milliseconds(1)
            case "", "s": .seconds(1)
            case "m": .seconds(60)
            default: nil
            }
        guard let unit, let count = Int32(digits), unit * Int(count) <= longest else {
            throw .invalid("query timeout", "must be a time of at most a minute, such as 500ms, 5s or 1m")
        }
        return unit * Int(count)
    }
}

extension EventsRequest {
    init(_ wait: EventWait, type: StoreEvent.Kind?, after: String?) {
        self.init(
            after: after, type: type, account: wait.account, bundleId: wait.bundleId, limit: HTTPLimits.pageMax)
    }
}

extension IntentEventsRequest {
    init(_ wait: EventWait, type: IntentEvent.Kind, after: String?) {
        self.init(
            after: after, type: type, account: wait.account, bundleId: wait.bundleId, limit: HTTPLimits.pageMax)
    }
}
