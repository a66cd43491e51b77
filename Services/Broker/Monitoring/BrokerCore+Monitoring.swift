extension BrokerCore {
    /// Number of connections that are not ending.
    var livingConnections: Int { connections.values.reduce(0) { $0 + ($1.state == .ending ? 0 : 1) } }

    /// Number of subscriptions of all connections, including those on inboxes.
    var subscriptionCount: Int { connections.values.reduce(0) { $0 + $1.subscriptions.count } }

    /// The page at a path; nil for an unknown path.
    func page(_ path: String, query: [String: String], _ process: ProcessFacts, uptime: Duration) -> MonitorPage? {
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
