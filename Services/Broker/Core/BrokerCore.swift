import BusProtocol
import EventLoop

/// The rules of the broker, without a network. Its input is bytes and times, its output bytes and closings.
///
/// It belongs to one thread and never waits. Outgoing frames are collected in each connection, and `flush` passes them
/// on once per turn of the loop. So a delivery costs a copy into an existing buffer, and the socket gets one write.
///
/// For `@exclusivity(unchecked)` see `BrokerConnection`.
final class BrokerCore {
    let limits: BrokerLimits
    let identity: BrokerIdentity
    let authenticator: ClientAuthenticator
    /// The wall clock, milliseconds since 1970.
    let time: () -> Int

    var connections: [Int: BrokerConnection] = [:]
    /// The owners of inboxes by their whole prefix, `_INBOX.<id>`.
    @exclusivity(unchecked) var inboxes = ByteTable<BrokerConnection>()
    /// The signed-in connections by user and instance.
    var instances: [InstanceKey: BrokerConnection] = [:]
    @exclusivity(unchecked) var router: Router
    @exclusivity(unchecked) var choice: MemberChoice
    @exclusivity(unchecked) var tail = DeliveryTail()
    @exclusivity(unchecked) var counters = BrokerCounters()
    /// Fault injection. Nil unless the broker was started with it.
    var chaos: Chaos?
    /// The closed connections, the newest last.
    var closed: [Connz.Connection] = []
    /// Returns the page of `$SYS.REQ.<name>`, or nil for an unknown name. The server sets it once.
    var systemRequests: (_ name: String, _ query: [String: String]) -> MonitorPage? = { _, _ in nil }

    private var lastCid = 0
    @exclusivity(unchecked) private var dirty: [BrokerConnection] = []
    private var events: [BrokerEvent] = []
    /// A reusable buffer for the subscriptions of one inbox.
    @exclusivity(unchecked) var spareMatches: [ClientSubscription] = []
    private var spareDirty: [BrokerConnection] = []
    @exclusivity(unchecked) var totalPendingBytes = 0
    /// The end of the drain window. Nil unless the broker is stopping.
    var drainEnds: Duration?

    /// One instance of one user.
    struct InstanceKey: Hashable {
        let user: String
        let instance: String
    }

    /// - Parameters:
    ///   - seed: The seed of the draw among queue members.
    ///   - time: The wall clock, milliseconds since 1970.
    init(
        limits: BrokerLimits = BrokerLimits(), identity: BrokerIdentity, authenticator: ClientAuthenticator,
        seed: UInt64,
        time: @escaping () -> Int
    ) {
        self.limits = limits
        self.identity = identity
        self.authenticator = authenticator
        self.time = time
        router = Router(rememberedMax: limits.cachedRoutes)
        choice = MemberChoice(limits: limits, seed: seed)
    }

    // MARK: Events

    /// Adds an accepted connection and returns its number. Its `hello` is ready to be flushed.
    func accepted(peer: String, now: Duration) -> Int {
        lastCid += 1
        counters.totalConnections += 1
        let connection = BrokerConnection(
            cid: lastCid, peer: peer, inbox: "_INBOX." + RandomText.make(characters: 22), limits: limits, now: now,
            time: time())
        let isTooMany = livingConnections >= limits.connections
        connections[lastCid] = connection
        sendHello(to: connection)
        if isTooMany {
            // The oldest that has not signed in gives way, so a stranger keeps no service out.
            let waiting = connections.values.filter { $0.state == .awaitingConnect }
            let last = waiting.min { $0.cid < $1.cid } ?? connection
            // Ending connections hold a descriptor for a moment; when there are too many, they are closed immediately.
            let ending: Ending = connections.count > limits.connections * 2 ? .now : .afterFlush
            end(last, .tooManyConns, "this broker takes \(limits.connections) connections", ending)
        }
        return lastCid
    }

    /// Processes received bytes.
    func received(_ bytes: Span<UInt8>, on cid: Int, now: Duration) {
        guard let connection = connections[cid], connection.state != .ending, !bytes.isEmpty else { return }
        connection.lastInbound = now
        connection.pingsOut = 0
        connection.traffic.bytesIn += bytes.count
        counters.traffic.bytesIn += bytes.count
        if !connection.hasSentFrames, connection.frameBegan == nil, bytes[0] != 0, greeted(connection, bytes[0]) {
            return
        }
        var completed = false
        do throws(BusViolation) {
            try connection.decoder.decode(bytes) { header, body in
                completed = true
                connection.hasSentFrames = true
                return handle(header, body, from: connection, now: now)
            }
        } catch {
            return refuse(connection, error)
        }
        if !connection.decoder.isMidFrame {
            connection.frameBegan = nil
        } else if completed || connection.frameBegan == nil {
            connection.frameBegan = now
        }
    }

    /// Removes a connection whose socket was closed by either side.
    func disconnected(_ cid: Int) {
        guard let connection = connections.removeValue(forKey: cid) else { return }
        release(connection)
        remember(connection)
        // A connection that is still to be flushed must not be subtracted twice.
        totalPendingBytes -= connection.pendingBytes
        connection.output = []
        connection.socketPendingBytes = 0
        note(
            .disconnected(
                cid: cid, name: connection.name, peer: connection.peer, reason: connection.endReason))
    }

    /// Records that TLS with a client failed, before `disconnected`.
    func failedTLS(_ cid: Int, _ failure: TLSError) {
        guard let connection = connections[cid] else { return }
        connection.endReason = "tls"
        note(.tlsFailed(cid: cid, peer: connection.peer, error: failure))
    }

    /// Records the number of bytes in the socket, and when it last sent some.
    func progressed(_ cid: Int, pendingBytes: Int, at lastProgress: Duration) {
        guard let connection = connections[cid] else { return }
        totalPendingBytes += pendingBytes - connection.socketPendingBytes
        connection.socketPendingBytes = pendingBytes
        connection.lastWriteProgress = lastProgress
        if connection.hasDropped, connection.pendingBytes <= limits.softPendingBytes / 2 { reportDrops(connection) }
    }

    // MARK: Output

    /// Passes each connection's output of this turn to `take`. `take` also gets the connection's ending, nil while it
    /// is open, and returns the number of bytes the socket then holds. Output written meanwhile is passed too.
    func flush(_ take: (_ cid: Int, _ bytes: [UInt8], _ ending: Ending?) -> Int) {
        while !dirty.isEmpty {
            var batch: [BrokerConnection] = []
            swap(&batch, &spareDirty)
            swap(&batch, &dirty)
            for connection in batch { flush(connection, take) }
            batch.removeAll(keepingCapacity: true)
            swap(&batch, &spareDirty)
        }
    }

    private func flush(
        _ connection: BrokerConnection, _ take: (_ cid: Int, _ bytes: [UInt8], _ ending: Ending?) -> Int
    ) {
        connection.isDirty = false
        let written = connection.output.count
        connection.traffic.bytesOut += written
        counters.traffic.bytesOut += written
        let held = take(connection.cid, connection.output, connection.ending)
        totalPendingBytes += held - connection.pendingBytes
        connection.output.removeAll(keepingCapacity: connection.output.capacity <= limits.keptOutputBytes)
        connection.hasFlushed = true
        connection.socketPendingBytes = held
        if connection.hasDropped, held <= limits.softPendingBytes / 2 { reportDrops(connection) }
    }

    /// Removes and returns the events since the last call.
    func takeEvents() -> [BrokerEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    /// Adds an event for the log.
    func note(_ event: BrokerEvent) { events.append(event) }

    /// Lets a function write to a connection's output, and marks it for flushing.
    func write(to connection: BrokerConnection, _ body: (inout [UInt8]) -> Void) {
        let before = connection.output.count
        body(&connection.output)
        wrote(connection.output.count - before, to: connection)
    }

    /// Records that a connection's output has grown.
    func wrote(_ count: Int, to connection: BrokerConnection) {
        totalPendingBytes += count
        markDirty(connection)
    }

    func markDirty(_ connection: BrokerConnection) {
        if connection.isDirty { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    private func remember(_ connection: BrokerConnection) {
        if closed.count >= limits.closedConnections { closed.removeFirst() }
        closed.append(Connz.Connection(closed: connection, time: time()))
    }
}
