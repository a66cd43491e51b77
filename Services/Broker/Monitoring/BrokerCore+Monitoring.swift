import FoundationEssentials

extension BrokerCore {
    /// The number of connections that are not ending.
    var livingConnections: Int { connections.values.reduce(0) { $0 + ($1.state == .ending ? 0 : 1) } }

    /// The number of subscriptions of all connections, including those on inboxes.
    var subscriptionCount: Int { connections.values.reduce(0) { $0 + $1.subscriptions.count } }

    /// Returns the page at a path, or nil for an unknown path.
    func page(_ path: String, query: [String: String], _ process: ProcessStats, uptime: Duration) -> MonitorPage? {
        switch path {
        case "/healthz": .json(MonitorJSON.encode(Healthz(self)), status: drainEnds == nil ? 200 : 503)
        case "/varz": .json(MonitorJSON.encode(Varz(self, process)))
        case "/connz": connz(query, uptime: uptime)
        case "/subsz": .json(MonitorJSON.encode(Subsz(self, query: query)))
        case "/metrics":
            MonitorPage(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
                body: Array(BrokerMetrics.text(self, process).utf8))
        default: nil
        }
    }

    private func connz(_ query: [String: String], uptime: Duration) -> MonitorPage {
        do throws(ConnzQuery.Mistake) {
            return .json(MonitorJSON.encode(Connz(self, try ConnzQuery(query), uptime: uptime)))
        } catch {
            return MonitorPage(
                status: 400, contentType: "text/plain; charset=utf-8", body: Array("\(error.message)\n".utf8))
        }
    }
}

/// `/healthz`, whether the broker accepts connections: `{"status":"ok"}`, or 503 while it stops. `"chaos":true` marks a
/// broker with fault injection.
struct Healthz: Encodable {
    let status: String
    var statusCode: Int?
    var error: String?
    /// True in a broker with fault injection. Nil, and so absent, in others.
    var chaos: Bool?

    init(_ core: BrokerCore) {
        status = core.drainEnds == nil ? "ok" : "unavailable"
        statusCode = core.drainEnds == nil ? nil : 503
        error = core.drainEnds == nil ? nil : "the broker is stopping"
        chaos = core.chaos == nil ? nil : true
    }
}

/// One response of the monitoring server.
package struct MonitorPage: Sendable, Equatable {
    /// The HTTP status.
    package var status: Int
    /// The media type.
    package var contentType: String
    /// The bytes of the page.
    package var body: [UInt8]

    static func json(_ body: [UInt8], status: Int = 200) -> MonitorPage {
        MonitorPage(status: status, contentType: "application/json", body: body)
    }
}

/// `/metrics`: the counters in Prometheus text format.
enum BrokerMetrics {
    static func text(_ core: BrokerCore, _ process: ProcessStats) -> String {
        let counters = core.counters
        var lines = ""
        add("connections", .gauge, "Connections now.", core.livingConnections, &lines)
        add("subscriptions", .gauge, "Subscriptions now.", core.subscriptionCount, &lines)
        add("pending_bytes", .gauge, "Bytes the network has not taken.", core.totalPendingBytes, &lines)
        add("resident_bytes", .gauge, "Resident memory.", process.residentBytes, &lines)
        add("loop_lag_seconds", .gauge, "Longest wait for the loop lately.", process.loopLagSeconds, &lines)
        add("connections_total", .counter, "Connections accepted.", counters.totalConnections, &lines)
        add("messages_in_total", .counter, "Messages published.", counters.traffic.messagesIn, &lines)
        add("messages_out_total", .counter, "Messages delivered.", counters.traffic.messagesOut, &lines)
        add("bytes_in_total", .counter, "Bytes received.", counters.traffic.bytesIn, &lines)
        add("bytes_out_total", .counter, "Bytes written.", counters.traffic.bytesOut, &lines)
        add("takers_lost_total", .counter, "Requests whose taker has gone.", counters.takersLost, &lines)
        add("no_responders_total", .counter, "Requests without a responder.", counters.noResponders, &lines)
        add("no_interest_total", .counter, "Messages without a subscriber.", counters.noInterest, &lines)
        add("no_eligible_total", .counter, "Messages no queue member could take.", counters.noEligible, &lines)
        add("permissions_denied_total", .counter, "Refused for permission.", counters.permissionsDenied, &lines)
        add("slow_consumers_total", .counter, "Connections closed as slow.", counters.slowConsumers, &lines)
        add("stale_connections_total", .counter, "Connections closed as stale.", counters.staleConnections, &lines)
        add("dropped_total", .counter, "Messages dropped for slow readers.", counters.dropped, &lines)
        add("replaced_total", .counter, "Connections replaced by the same instance.", counters.replaced, &lines)
        add("auth_failures_total", .counter, "Failed or late sign-ins.", counters.authFailures, &lines)
        addErrors(counters.errors, &lines)
        if let chaos = core.chaos { addFaults(chaos.counts, &lines) }
        return lines
    }

    private enum Kind: String { case gauge, counter }

    private static func add(
        _ name: String, _ kind: Kind, _ help: String, _ value: some CustomStringConvertible, _ lines: inout String
    ) {
        let full = "storebus_broker_\(name)"
        lines += "# HELP \(full) \(help)\n# TYPE \(full) \(kind.rawValue)\n\(full) \(value)\n"
    }

    private static func addFaults(_ faults: [ChaosAction: Int], _ lines: inout String) {
        let full = "storebus_broker_chaos_faults_total"
        lines += "# HELP \(full) Faults made on demand, by action.\n# TYPE \(full) counter\n"
        for action in ChaosAction.allCases {
            lines += "\(full){action=\"\(action.rawValue)\"} \(faults[action] ?? 0)\n"
        }
    }

    private static func addErrors(_ errors: [String: Int], _ lines: inout String) {
        let full = "storebus_broker_errors_total"
        lines += "# HELP \(full) Error frames sent, by code.\n# TYPE \(full) counter\n"
        for (code, count) in errors.sorted(by: { $0.key < $1.key }) {
            lines += "\(full){code=\"\(code)\"} \(count)\n"
        }
    }
}

/// `/subsz`: subscriptions and the cache of routes, with nats-server's field names.
struct Subsz: Encodable {
    let serverId: String
    let now: Date
    let numSubscriptions: Int
    let numInbox: Int
    let numCache: Int
    let numInserts: Int
    let numRemoves: Int
    let numMatches: Int
    let cacheHitRate: Double
    /// The number of subscriptions in the complete list. 0 without a list.
    let total: Int
    let offset: Int
    let limit: Int
    /// The page of the list, with `?subs=1` only.
    var subscriptionsList: [Connz.SubscriptionDetail]?
}

extension Subsz {
    /// - Parameter query: `?subs=1&offset=&limit=`.
    init(_ core: BrokerCore, query: [String: String] = [:]) {
        serverId = core.identity.id
        now = MonitorJSON.date(core.time())
        numSubscriptions = core.subscriptionCount
        numInbox = core.subscriptionCount - core.router.subscriptionCount
        numCache = core.router.rememberedCount
        numInserts = core.router.inserts
        numRemoves = core.router.removes
        numMatches = core.router.matches
        cacheHitRate = numMatches == 0 ? 0 : Double(core.router.hits) / Double(numMatches)
        offset = max(0, query["offset"].flatMap { Int($0) } ?? 0)
        limit = min(ConnzQuery.limitMax, max(1, query["limit"].flatMap { Int($0) } ?? ConnzQuery.limitMax))
        guard ["1", "true"].contains(query["subs"]) else {
            total = 0
            return
        }
        total = numSubscriptions
        let all = core.connections.values.sorted { $0.cid < $1.cid }.lazy.flatMap { connection in
            connection.subscriptions.values.sorted { $0.sid < $1.sid }
        }
        subscriptionsList = all.dropFirst(offset).prefix(limit).map(Connz.SubscriptionDetail.init)
    }
}
