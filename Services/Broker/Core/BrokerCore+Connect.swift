import BusProtocol
import EventLoop

extension BrokerCore {
    /// Sends the first frame of every connection.
    func sendHello(to connection: BrokerConnection) {
        let hello = HelloMessage(
            id: identity.id, name: identity.name, ver: identity.version, cid: connection.cid,
            auth: authenticator.methods, maxSubs: limits.subscriptions,
            pingMilliseconds: limits.pingInterval.wholeMilliseconds, time: connection.acceptedTime)
        write(to: connection) { hello.encode(into: &$0) }
    }

    /// Signs a client in. An older connection of the same user and instance is removed before the new one's `ok`, so
    /// that a half-open connection gets no more messages.
    func connect(_ message: ConnectMessage, _ connection: BrokerConnection) throws(BusViolation) {
        if drainEnds != nil { throw BusViolation(.shuttingDown, "the broker is stopping") }
        connection.name = message.name
        connection.lang = message.lang
        connection.version = message.ver
        let user = try authenticator.user(for: message.auth)
        connection.user = user.name
        connection.permissions = user.permissions
        if let responses = user.permissions?.rules.responses { connection.ledger.grant(responses) }
        connection.wantsEcho = message.echo
        connection.wantsLost = message.lost
        if let milliseconds = message.pingMilliseconds { connection.pingInterval = .milliseconds(milliseconds) }
        takeInstance(message.inst, connection)
        connection.state = .ready
        _ = inboxes.insert(connection.inbox.utf8.span, connection)
        let reply = OkMessage(
            re: .connect, seq: message.seq, user: connection.user, inbox: connection.inbox,
            pingMilliseconds: connection.pingInterval.wholeMilliseconds)
        write(to: connection) { reply.encode(into: &$0) }
        note(
            .connected(
                cid: connection.cid, name: connection.name, user: connection.user, peer: connection.peer))
    }

    private func takeInstance(_ instance: String?, _ connection: BrokerConnection) {
        connection.identityHash = StableHash.hash((instance ?? String(connection.cid)).utf8)
        guard let instance else { return }
        connection.instance = instance
        let key = InstanceKey(user: connection.user, instance: instance)
        if let older = instances[key] {
            counters.replaced += 1
            end(older, .replaced, "the same instance connected again")
        }
        instances[key] = connection
    }
}
