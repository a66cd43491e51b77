import BusProtocol
import EventLoop

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

        init(_ subscription: Subscription) {
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
        if query.state != .open { found += core.closed.map(Connection.init) }
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
        let (host, peerPort) = Self.split(connection.peer)
        let idleMilliseconds = (uptime - connection.lastInbound).wholeMilliseconds
        let all = connection.subscriptions.values.sorted { $0.sid < $1.sid }
        cid = connection.cid
        ip = host
        port = peerPort
        start = MonitorJSON.date(connection.acceptedTime)
        lastActivity = MonitorJSON.date(time - idleMilliseconds)
        self.uptime = Elapsed.text(milliseconds: time - connection.acceptedTime)
        idle = Elapsed.text(milliseconds: idleMilliseconds)
        pendingBytes = connection.pendingBytes
        inMsgs = connection.traffic.messagesIn
        outMsgs = connection.traffic.messagesOut
        inBytes = connection.traffic.bytesIn
        outBytes = connection.traffic.bytesOut
        subscriptions = all.count
        name = connection.name
        lang = connection.lang
        version = connection.version
        authorizedUser = connection.user
        instance = connection.instance
        switch subscriptionsAs {
        case .none: break
        case .patterns: subscriptionsList = all.map(\.pattern.text).sorted()
        case .details: subscriptionsListDetail = all.map(Connz.SubscriptionDetail.init)
        }
    }

    init(_ closed: ClosedConnection) {
        let (host, peerPort) = Self.split(closed.peer)
        cid = closed.cid
        ip = host
        port = peerPort
        start = MonitorJSON.date(closed.startTime)
        lastActivity = MonitorJSON.date(closed.lastTime)
        stop = MonitorJSON.date(closed.stopTime)
        reason = closed.reason
        uptime = Elapsed.text(milliseconds: closed.stopTime - closed.startTime)
        idle = Elapsed.text(milliseconds: closed.stopTime - closed.lastTime)
        pendingBytes = closed.pendingBytes
        inMsgs = closed.traffic.messagesIn
        outMsgs = closed.traffic.messagesOut
        inBytes = closed.traffic.bytesIn
        outBytes = closed.traffic.bytesOut
        subscriptions = closed.subscriptions
        name = closed.name
        lang = closed.lang
        version = closed.version
        authorizedUser = closed.user
        instance = closed.instance
    }

    private static func split(_ peer: String) -> (String, Int) {
        guard let colon = peer.lastIndex(of: ":") else { return (peer, 0) }
        return (String(peer[..<colon]), Int(peer[peer.index(after: colon)...]) ?? 0)
    }
}
