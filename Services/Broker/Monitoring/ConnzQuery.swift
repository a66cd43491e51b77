import FoundationEssentials

/// The query of `/connz`: `?state=open|closed|any&sort=…&subs=1|detail&offset=&limit=`, as in nats-server.
struct ConnzQuery {
    enum State: String, CaseIterable { case open, closed, any }

    /// How a connection's subscriptions are shown.
    enum Subscriptions { case none, patterns, details }

    /// The sort order: descending by numbers and times, ascending by `cid`, `start`, `stop` and `reason`.
    enum Order: String, CaseIterable {
        case cid, start, subs, pending, msgsTo = "msgs_to", msgsFrom = "msgs_from", bytesTo = "bytes_to"
        case bytesFrom = "bytes_from", last, idle, uptime, stop, reason

        func isBefore(_ left: Connz.Connection, _ right: Connz.Connection) -> Bool {
            switch self {
            case .cid: left.cid < right.cid
            case .start, .uptime: left.start < right.start
            case .subs: left.subscriptions > right.subscriptions
            case .pending: left.pendingBytes > right.pendingBytes
            case .msgsTo: left.outMsgs > right.outMsgs
            case .msgsFrom: left.inMsgs > right.inMsgs
            case .bytesTo: left.outBytes > right.outBytes
            case .bytesFrom: left.inBytes > right.inBytes
            case .last: left.lastActivity > right.lastActivity
            case .idle: left.lastActivity < right.lastActivity
            case .stop: left.stop ?? .distantFuture < right.stop ?? .distantFuture
            case .reason: left.reason ?? "" < right.reason ?? ""
            }
        }
    }

    /// An error message for the client.
    struct Mistake: Error {
        let message: String
    }

    static let limitMax = 1024

    var state = State.open
    var order = Order.cid
    var subscriptions = Subscriptions.none
    var offset = 0
    var limit = ConnzQuery.limitMax

    /// Reads a query, and clamps `limit` and `offset` to their ranges.
    /// - Throws: An error for an unknown `state` or `sort`, as nats-server does.
    init(_ query: [String: String]) throws(Mistake) {
        if let text = query["state"] {
            // nats-server has two names for this state.
            guard let state = text == "all" ? .any : State(rawValue: text) else {
                throw Mistake(message: "invalid state: \(text)")
            }
            self.state = state
        }
        if let text = query["sort"], !text.isEmpty {
            guard let order = Order(rawValue: text) else { throw Mistake(message: "invalid sorting option: \(text)") }
            self.order = order
        }
        switch query["subs"] {
        case "1", "true": subscriptions = .patterns
        case "detail": subscriptions = .details
        default: break
        }
        offset = max(0, query["offset"].flatMap { Int($0) } ?? 0)
        limit = min(Self.limitMax, max(1, query["limit"].flatMap { Int($0) } ?? Self.limitMax))
    }
}
