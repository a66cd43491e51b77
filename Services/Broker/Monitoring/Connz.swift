import BusProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `/connz`: connections, open or closed. `?subs=1&state=open|closed|any&sort=cid|pending|subs|msgs_to|msgs_from|bytes_to|bytes_from&limit=&offset=`
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
        var stop: Date?
        var reason: String?
        let uptime: String
        var idle: String?
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
    }
}

extension Connz {
    init(_ core: BrokerCore, query: [String: String], uptime: Duration) {
        let time = core.time()
        var found: [Connection] = []
        let state = query["state"] ?? "open"
        if state != "closed" {
            found += core.connections.values.map {
                Connection($0, time: time, uptime: uptime, withSubscriptions: ["1", "true"].contains(query["subs"]))
            }
        }
        if state != "open" { found += core.closed.map(Connection.init) }
        Self.sort(&found, by: query["sort"] ?? "cid")
        let offset = max(0, query["offset"].flatMap { Int($0) } ?? 0)
        let limit = min(1024, max(1, query["limit"].flatMap { Int($0) } ?? 1024))
        let page = Array(found.dropFirst(offset).prefix(limit))
        serverId = core.identity.id
        now = MonitorJSON.date(time)
        numConnections = page.count
        total = found.count
        self.offset = offset
        self.limit = limit
        connections = page
    }

    private static func sort(_ connections: inout [Connection], by key: String) {
        connections.sort { $0.cid < $1.cid }
        let path: KeyPath<Connection, Int>
        switch key {
        case "pending": path = \.pendingBytes
        case "subs": path = \.subscriptions
        case "msgs_to": path = \.outMsgs
        case "msgs_from": path = \.inMsgs
        case "bytes_to": path = \.outBytes
        case "bytes_from": path = \.inBytes
        default: return
        }
        connections.sort { $0[keyPath: path] > $1[keyPath: path] }
    }
}

extension Connz.Connection {
    init(_ connection: BrokerConnection, time: Int, uptime: Duration, withSubscriptions: Bool) {
        let (host, peerPort) = Self.split(connection.peer)
        cid = connection.cid
        ip = host
        port = peerPort
        start = MonitorJSON.date(connection.acceptedTime)
        self.uptime = Elapsed.text(milliseconds: time - connection.acceptedTime)
        idle = Elapsed.text(milliseconds: (uptime - connection.lastInbound).milliseconds)
        pendingBytes = connection.pendingBytes
        inMsgs = connection.traffic.messagesIn
        outMsgs = connection.traffic.messagesOut
        inBytes = connection.traffic.bytesIn
        outBytes = connection.traffic.bytesOut
        subscriptions = connection.subscriptions.count
        name = connection.name
        lang = connection.lang
        version = connection.version
        authorizedUser = connection.user
        instance = connection.instance
        if withSubscriptions { subscriptionsList = connection.subscriptions.values.map(\.pattern.text).sorted() }
    }

    init(_ closed: ClosedConnection) {
        let (host, peerPort) = Self.split(closed.peer)
        cid = closed.cid
        ip = host
        port = peerPort
        start = MonitorJSON.date(closed.startTime)
        stop = MonitorJSON.date(closed.stopTime)
        reason = closed.reason
        uptime = Elapsed.text(milliseconds: closed.stopTime - closed.startTime)
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
