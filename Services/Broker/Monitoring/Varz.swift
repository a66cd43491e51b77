import BusProtocol
import EventLoop
import FoundationEssentials

/// `/varz`: the broker as a whole, with nats-server's field names and additional counters.
///
/// `{"server_id":"B…","connections":8,"in_msgs":120,"no_responders":1,"loop_lag_us":85,…}`
struct Varz: Encodable {
    let serverId: String
    let serverName: String
    let version: String
    let proto = 1
    let host: String
    let port: Int
    let authRequired: Bool
    let tlsRequired: Bool
    /// Whether clients need a certificate.
    let tlsVerify: Bool
    let maxConnections: Int
    let maxPayload = BusLimits.bodyBytesMax
    let maxControlLine = BusLimits.headerBytesMax
    let maxPending: Int
    /// The ping interval in nanoseconds, as in nats-server.
    let pingInterval: Int
    let pingMax = BusLimits.pingsOutMax
    /// The timeout of `connect` in seconds, as in nats-server.
    let authTimeout: Int
    /// The time without write progress until a connection is closed, in nanoseconds.
    let writeDeadline: Int
    let start: Date
    let now: Date
    let uptime: String
    /// The resident memory in bytes.
    let mem: Int
    let cores: Int
    /// The CPU time since the start, in percent of one core.
    let cpu: Double
    let connections: Int
    let totalConnections: Int
    let inMsgs: Int
    let outMsgs: Int
    let inBytes: Int
    let outBytes: Int
    let slowConsumers: Int
    let staleConnections: Int
    let subscriptions: Int
    let pendingBytes: Int
    let noResponders: Int
    let noInterest: Int
    let noEligible: Int
    let permDenied: Int
    let dropped: Int
    let replaced: Int
    let authFailures: Int
    let errors: [String: Int]
    /// The longest wait for the loop in the last ten seconds, in microseconds (``LoopLag``).
    let loopLagUs: Int
    let draining: Bool
}

extension Varz {
    init(_ core: BrokerCore, _ process: ProcessStats) {
        let counters = core.counters
        let time = core.time()
        serverId = core.identity.id
        serverName = core.identity.name
        version = core.identity.version
        host = process.host
        port = process.port
        authRequired = !core.authenticator.methods.contains("none")
        tlsRequired = process.tls != nil
        tlsVerify = process.tls?.authorities != nil
        maxConnections = core.limits.connections
        maxPending = core.limits.hardPendingBytes
        pingInterval = core.limits.pingInterval.wholeMilliseconds * 1_000_000
        authTimeout = core.limits.connectTimeout.wholeMilliseconds / 1000
        writeDeadline = core.limits.stallTimeout.wholeMilliseconds * 1_000_000
        start = MonitorJSON.date(process.startTime)
        now = MonitorJSON.date(time)
        uptime = Elapsed.text(milliseconds: time - process.startTime)
        mem = process.residentBytes
        cores = process.cores
        cpu = process.cpuPercent(overMilliseconds: time - process.startTime)
        connections = core.livingConnections
        totalConnections = counters.totalConnections
        inMsgs = counters.traffic.messagesIn
        outMsgs = counters.traffic.messagesOut
        inBytes = counters.traffic.bytesIn
        outBytes = counters.traffic.bytesOut
        slowConsumers = counters.slowConsumers
        staleConnections = counters.staleConnections
        subscriptions = core.subscriptionCount
        pendingBytes = core.totalPendingBytes
        noResponders = counters.noResponders
        noInterest = counters.noInterest
        noEligible = counters.noEligible
        permDenied = counters.permissionsDenied
        dropped = counters.dropped
        replaced = counters.replaced
        authFailures = counters.authFailures
        errors = counters.errors
        loopLagUs = process.loopLagMicroseconds
        draining = core.drainEnds != nil
    }
}

/// Formats a duration as nats-server does: `1h2m3s`.
enum Elapsed {
    static func text(milliseconds: Int) -> String {
        let seconds = max(0, milliseconds / 1000)
        let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60)
        var text = ""
        if days > 0 { text += "\(days)d" }
        if seconds >= 3600 { text += "\(hours)h" }
        if seconds >= 60 { text += "\(minutes)m" }
        return text + "\(seconds % 60)s"
    }
}
