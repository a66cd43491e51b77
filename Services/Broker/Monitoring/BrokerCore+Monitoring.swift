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
