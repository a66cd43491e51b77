import BusProtocol
import EventLoop

extension BrokerCore {
    /// Begins to stop the broker. It sends `drain` to all clients, then `bye` to each, spread over the window so that
    /// they do not reconnect simultaneously. A client that has not signed in gets `shutting_down`.
    func drain(why: String, now: Duration) {
        guard drainEnds == nil else { return }
        drainEnds = now + limits.drainWindow
        let living = connections.values.sorted { $0.cid < $1.cid }
        let ready = living.filter { $0.state == .ready }
        for connection in living where connection.state == .awaitingConnect {
            end(connection, .shuttingDown, why)
        }
        for (index, connection) in ready.enumerated() {
            write(to: connection) {
                ControlFrame.drain(inMilliseconds: limits.drainWindow.wholeMilliseconds, why: why, into: &$0)
            }
            connection.byeAt = now + limits.drainWindow * (index + 1) / ready.count
        }
    }

    /// Ends a connection cleanly. The socket closes when the client has closed, or after two seconds.
    func sayBye(_ connection: BrokerConnection) {
        write(to: connection) { ControlFrame.bye(why: "shutting down", into: &$0) }
        connection.endReason = BusErrorCode.shuttingDown.rawValue
        finish(connection, .afterFlush)
    }
}
