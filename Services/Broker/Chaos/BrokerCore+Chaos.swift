import BusProtocol

extension BrokerCore {
    /// Delivers the current message to a subscription, with a fault when a rule selects it.
    func disturb(
        _ chaos: Chaos, _ subscription: ClientSubscription, _ delivery: Delivery, _ header: Span<UInt8>,
        _ members: Span<UInt8>, _ body: Span<UInt8>
    ) {
        let target = subscription.connection
        let subject = header.extracting(delivery.subject)
        guard let strike = chaos.strike(subject, from: delivery.publisher, to: target) else {
            send(subscription, members, body)
            return follow(chaos, target)
        }
        var frame: [UInt8] = []
        DeliveryTail.write(sid: subscription.sid, members: members, body: body, into: &frame)
        let due = delivery.now + .milliseconds(strike.milliseconds)
        switch strike.action {
        case .drop, .close: break
        case .dup: put(frame + frame, target, chaos)
        case .delay: hold(frame, subscription, until: due, followsNext: false, chaos)
        case .reorder: hold(frame, subscription, until: due, followsNext: true, chaos)
        case .corrupt:
            Chaos.corrupt(&frame, strike.chance)
            put(frame, target, chaos)
        case .slice:
            if chaos.slices[target.cid] == nil { chaos.slices[target.cid] = ChaosSlices() }
            put(frame, target, chaos)
        case .blackhole:
            chaos.blackholes.insert(target.cid)
            markDirty(target)
        }
        delivered(subscription)
        if strike.action == .close {
            target.endReason = "chaos"
            finish(target, .now)
        }
    }

    /// Releases due messages. It is called with every tick.
    func releaseHeld(_ chaos: Chaos, now: Duration) {
        if !chaos.delays.isEmpty { release(chaos.delays.takeDue(now: now)) }
        if !chaos.blackholes.isEmpty { chaos.blackholes.formIntersection(connections.keys) }
    }

    private func hold(
        _ frame: [UInt8], _ subscription: ClientSubscription, until due: Duration, followsNext: Bool, _ chaos: Chaos
    ) {
        let message = ChaosDelays.Held(
            subscription: subscription, frame: frame, due: due, followsNext: followsNext)
        if !chaos.delays.hold(message) { put(frame, subscription.connection, chaos) }
    }

    private func put(_ frame: [UInt8], _ target: BrokerConnection, _ chaos: Chaos) {
        write(to: target) { $0 += frame }
        follow(chaos, target)
    }

    private func follow(_ chaos: Chaos, _ target: BrokerConnection) {
        if !chaos.delays.isEmpty { release(chaos.delays.takeFollowers(of: target)) }
    }

    /// Writes held messages, unless the connection has ended or an `unsub` was acknowledged. No `msg` may follow that.
    private func release(_ messages: [ChaosDelays.Held]) {
        for message in messages {
            let (subscription, target) = (message.subscription, message.subscription.connection)
            guard target.state == .ready, connections[target.cid] === target else { continue }
            let isThere = target.subscriptions[subscription.sid] === subscription
            let hasJustEnded =
                target.subscriptions[subscription.sid] == nil && target.endedSids.contains(subscription.sid)
            guard isThere || hasJustEnded else { continue }
            write(to: target) { $0 += message.frame }
        }
    }
}
