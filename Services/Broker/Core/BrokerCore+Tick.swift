import BusProtocol

extension BrokerCore {
    /// Checks all time limits: sign-in, unfinished frames, silence, stalled writes, memory, drain.
    /// - Returns: The time of the first limit that is running, or nil without one. Later limits are not known yet.
    func tick(now: Duration) -> Duration? {
        var next: Duration?
        for connection in connections.values.sorted(by: { $0.cid < $1.cid }) {
            switch connection.state {
            case .awaitingConnect: tickAwaiting(connection, now)
            case .ready: tickReady(connection, now)
            case .ending: continue
            }
            if connection.state != .ending { tickAlways(connection, now) }
            if !connection.hasFlushed, connection.output.isEmpty { connection.output = [] }
            connection.hasFlushed = false
            guard connection.state != .ending else { continue }
            let limit = limit(of: connection)
            next = next.map { min($0, limit) } ?? limit
        }
        if let chaos { releaseHeld(chaos, now: now) }
        shedLargest()
        return next
    }

    /// Returns the time at which the first limit of a connection is reached.
    private func limit(of connection: BrokerConnection) -> Duration {
        var limit = connection.acceptedAt + limits.connectTimeout
        if connection.state == .ready {
            limit = connection.lastInbound + connection.pingInterval * (connection.pingsOut + 1)
            if let byeAt = connection.byeAt { limit = min(limit, byeAt) }
        }
        if let began = connection.frameBegan { limit = min(limit, began + limits.frameTimeout) }
        if connection.socketPendingBytes > 0 {
            limit = min(limit, connection.lastWriteProgress + limits.stallTimeout)
        }
        return limit
    }

    private func tickAwaiting(_ connection: BrokerConnection, _ now: Duration) {
        if now - connection.acceptedAt >= limits.connectTimeout {
            end(connection, .authTimeout, "no 'connect' within \(limits.connectTimeout)")
        }
    }

    /// Pings after each interval of silence. After the last unanswered ping the connection is stale.
    private func tickReady(_ connection: BrokerConnection, _ now: Duration) {
        if let byeAt = connection.byeAt, now >= byeAt { return sayBye(connection) }
        let silence = now - connection.lastInbound
        guard silence >= connection.pingInterval * (connection.pingsOut + 1) else { return }
        if connection.pingsOut == BusLimits.pingsOutMax {
            return end(connection, .stale, "nothing arrived for \(silence)")
        }
        connection.pingsOut += 1
        write(to: connection) { ControlFrame.ping(t: connection.pingsOut, into: &$0) }
    }

    private func tickAlways(_ connection: BrokerConnection, _ now: Duration) {
        if let began = connection.frameBegan, now - began >= limits.frameTimeout {
            return end(connection, .badFrame, "a frame was unfinished for \(limits.frameTimeout)")
        }
        if connection.socketPendingBytes > 0, now - connection.lastWriteProgress >= limits.stallTimeout {
            endSlow(connection, .now, "no write progress for \(limits.stallTimeout)")
        }
    }

    /// Closes the largest connections until the broker's memory limit is met. Publishers are never slowed.
    func shedLargest() {
        while totalPendingBytes > limits.totalPendingBytes {
            let living = connections.values.filter { $0.ending != .now && $0.pendingBytes > 0 }
            guard let largest = living.max(by: { $0.pendingBytes < $1.pendingBytes }) else { return }
            endSlow(largest, .now, "the largest when all pending bytes were over \(limits.totalPendingBytes)")
            totalPendingBytes -= largest.pendingBytes
            largest.output = []
            largest.socketPendingBytes = 0
        }
    }

    /// Closes a connection that does not keep up, and logs its name and the reason.
    func endSlow(_ connection: BrokerConnection, _ ending: Ending, _ why: String) {
        note(
            .slowConsumer(
                cid: connection.cid, name: connection.name, peer: connection.peer,
                pendingBytes: connection.pendingBytes, why: why))
        counters.slowConsumers += 1
        if connection.state == .ending {
            connection.ending = ending
            markDirty(connection)
        } else {
            end(connection, .slowConsumer, why, ending)
        }
    }

    /// Notifies a client of the number of messages it lost, once its connection has drained.
    func reportDrops(_ connection: BrokerConnection) {
        connection.hasDropped = false
        for subscription in connection.subscriptions.values.sorted(by: { $0.sid < $1.sid })
        where subscription.dropped > 0 {
            let count = subscription.dropped
            subscription.dropped = 0
            note(.dropped(cid: connection.cid, name: connection.name, sid: subscription.sid, count: count))
            send(
                ErrMessage(
                    .slowDrop, "\(count) messages were dropped", sid: subscription.sid,
                    subject: subscription.pattern.text),
                to: connection)
        }
    }
}
