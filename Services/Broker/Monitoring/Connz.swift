import BusProtocol
import EventLoop
import FoundationEssentials

/// `/connz`: open or closed connections, as selected by `ConnzQuery`.
struct Connz: Encodable {
    let serverId: String
    let now: Date
    let numConnections: Int
    let total: Int
    let offset: Int
    let limit: Int
    let connections: [Connection]

    /// One connection, with nats-server's field names.
    struct Connection: Encodable {
        let cid: Int
        let kind = "Client"
        let type = "sbp"
        let ip: String
        let port: Int
        let start: Date
        /// The time at which a byte was last received.
        let lastActivity: Date
        var stop: Date?
        var reason: String?
        let uptime: String
        let idle: String
        let pendingBytes: Int
        let inMsgs: Int
        let outMsgs: Int
        let inBytes: Int
        let outBytes: Int
        let subscriptions: Int
        let name: String
        let lang: String
        let version: String
        let authorizedUser: String
        var instance: String?
        var subscriptionsList: [String]?
        var subscriptionsListDetail: [SubscriptionDetail]?
    }

    /// One subscription, with nats-server's field names.
    struct SubscriptionDetail: Encodable {
        let subject: String
        let qgroup: String?
        /// The sid as text, as in nats-server.
        let sid: String
        let msgs: Int
        let max: Int?
        let cid: Int

        init(_ subscription: ClientSubscription) {
            subject = (subscription.isTap ? "$SYS.TAP." : "") + subscription.pattern.text
            qgroup = subscription.queue?.text
            sid = "\(subscription.sid)"
            msgs = subscription.delivered
            max = subscription.max
            cid = subscription.connection.cid
        }
    }
}

extension Connz {
    init(_ core: BrokerCore, _ query: ConnzQuery, uptime: Duration) {
        let time = core.time()
        var found: [Connection] = []
        if query.state != .closed {
            found += core.connections.values.map { Connection($0, time: time, uptime: uptime, query.subscriptions) }
        }
        if query.state != .open { found += core.closed }
        found.sort { $0.cid < $1.cid }
        found.sort(by: query.order.isBefore)
        let page = Array(found.dropFirst(query.offset).prefix(query.limit))
        serverId = core.identity.id
        now = MonitorJSON.date(time)
        numConnections = page.count
        total = found.count
        offset = query.offset
        limit = query.limit
        connections = page
    }
}

extension Connz.Connection {
    init(
        _ connection: BrokerConnection, time: Int, uptime: Duration, _ subscriptionsAs: ConnzQuery.Subscriptions
    ) {
        let all = connection.subscriptions.values.sorted { $0.sid < $1.sid }
        self.init(
            connection, subscriptions: all.count, lastTime: time - (uptime - connection.lastInbound).wholeMilliseconds,
            time: time)
        switch subscriptionsAs {
        case .none: break
        case .patterns: subscriptionsList = all.map(\.pattern.text).sorted()
        case .details: subscriptionsListDetail = all.map(Connz.SubscriptionDetail.init)
        }
    }

    /// Creates the monitoring data of a connection that has ended.
    init(closed connection: BrokerConnection, time: Int) {
        self.init(
            connection, subscriptions: connection.releasedSubscriptions,
            lastTime: connection.acceptedTime + (connection.lastInbound - connection.acceptedAt).wholeMilliseconds,
            time: time)
        stop = MonitorJSON.date(time)
        reason = connection.endReason
    }

    /// - Parameters:
    ///   - lastTime: The time at which a byte was last received.
    ///   - time: The present, or the end of a closed connection.
    private init(_ connection: BrokerConnection, subscriptions: Int, lastTime: Int, time: Int) {
        cid = connection.cid
        (ip, port) = Self.split(connection.peer)
        start = MonitorJSON.date(connection.acceptedTime)
        lastActivity = MonitorJSON.date(lastTime)
        uptime = Elapsed.text(milliseconds: time - connection.acceptedTime)
        idle = Elapsed.text(milliseconds: time - lastTime)
        pendingBytes = connection.pendingBytes
        inMsgs = connection.traffic.messagesIn
        outMsgs = connection.traffic.messagesOut
        inBytes = connection.traffic.bytesIn
        outBytes = connection.traffic.bytesOut
        self.subscriptions = subscriptions
        name = connection.name
        lang = connection.lang
        version = connection.version
        authorizedUser = connection.user
        instance = connection.instance
    }

    private static func split(_ peer: String) -> (String, Int) {
        guard let colon = peer.lastIndex(of: ":") else { return (peer, 0) }
        return (String(peer[..<colon]), Int(peer[peer.index(after: colon)...]) ?? 0)
    }
}
