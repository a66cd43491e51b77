import BusProtocol

extension BrokerCore {
    /// Routes one message. Frames that it causes on the publisher's own connection precede its `ok`.
    func publish(
        _ publish: PublishHeader, _ header: Span<UInt8>, _ body: Span<UInt8>, from publisher: BrokerConnection,
        now: Duration
    ) throws(BusViolation) {
        let subject = header.extracting(publish.subject)
        if subject[0] == UInt8(ascii: "$"), try answeredBySystem(subject, publish, header, body, publisher) { return }
        // Inboxes have no route: their owner is found without the trie.
        let route = subject.starts(with: "_INBOX.") ? nil : router.route(subject)
        try authorize(subject, route, publisher, now)
        publisher.traffic.messagesIn += 1
        counters.traffic.messagesIn += 1
        var delivery = Delivery(publish, header, publisher, now)
        if let spliced = publish.spliced {
            deliver(&delivery, along: route, header, header.extracting(spliced), body)
        } else {
            tail.take(publish, from: header)
            let members = tail.members
            deliver(&delivery, along: route, header, members.span, body)
        }
        guard let seq = publish.seq else { return }
        write(to: publisher) { OkMessage(re: .pub, seq: seq, delivered: delivery.count).encode(into: &$0) }
    }

    /// Checks the right to publish. The receiver of a request may reply, unless the subject is denied. Other
    /// connections may not publish to a foreign inbox. A rejected publish uses no grant.
    private func authorize(
        _ subject: Span<UInt8>, _ route: SubjectRoute?, _ publisher: BrokerConnection, _ now: Duration
    ) throws(BusViolation) {
        let right = right(of: publisher, toPublishTo: subject, route)
        if right != .denied {
            if publisher.ledger.spend(subject, now: now) { return }
            let isOthersInbox = subject.starts(with: "_INBOX.") && !publisher.ownsInbox(subject)
            if right == .allowed, !isOthersInbox { return }
        }
        counters.permissionsDenied += 1
        throw BusViolation(
            .permPub,
            right == .allowed
                ? "another's inbox takes answers only, as many as a request grants"
                : "this user may not publish to '\(subject.text)'")
    }

    /// Returns the right to publish to a subject. The open user has no restrictions. The rights of others are cached
    /// with the route.
    private func right(
        of publisher: BrokerConnection, toPublishTo subject: Span<UInt8>, _ route: SubjectRoute?
    ) -> Permissions.Publishing {
        guard let permissions = publisher.permissions else { return .allowed }
        guard let route else { return permissions.publishing(to: subject) }
        return route.publishing(permissions, to: subject)
    }

    /// Delivers a message along its route, or to an inbox.
    /// - Parameter members: The members of the publisher's header that every delivery contains.
    private func deliver(
        _ delivery: inout Delivery, along route: SubjectRoute?, _ header: Span<UInt8>, _ members: Span<UInt8>,
        _ body: Span<UInt8>
    ) {
        let subject = header.extracting(delivery.subject)
        if let route {
            deliver(&delivery, on: route, header, members, body)
        } else {
            deliverToInbox(&delivery, header, members, body)
        }
        // A trace sees a request before the answer to it.
        if router.hasTaps { copyToTaps(subject, members, body) }
        if delivery.count == 0 { reportNoTaker(delivery, subject, header) }
    }

    private func deliver(
        _ delivery: inout Delivery, on route: SubjectRoute, _ header: Span<UInt8>, _ members: Span<UInt8>,
        _ body: Span<UInt8>
    ) {
        // Groups first: a member's plain subscription to the same subject must not add to its load.
        for group in route.groups {
            let member = choice.choose(
                group.members, keyHash: delivery.keyHash, publisher: delivery.publisher, now: delivery.now)
            if let member {
                offer(member, &delivery, header, members, body)
            } else if group.members.contains(where: { $0.isActive && delivery.reaches($0) }) {
                delivery.ineligibleGroups += 1
            }
        }
        for index in route.plain.indices { offer(route.plain[index], &delivery, header, members, body) }
    }

    /// Delivers to an inbox. Only subscriptions of its owner match, and the lookup does not allocate memory.
    private func deliverToInbox(
        _ delivery: inout Delivery, _ header: Span<UInt8>, _ members: Span<UInt8>, _ body: Span<UInt8>
    ) {
        let subject = header.extracting(delivery.subject)
        let first = SubjectSyntax.tokenEnd(subject, 0)
        let second = SubjectSyntax.tokenEnd(subject, first + 1)
        guard second < subject.count, let owner = inboxes[subject.extracting(0..<second)] else { return }
        var matches: [ClientSubscription] = []
        swap(&matches, &spareMatches)
        owner.inboxSubscriptions.match(subject, into: &matches)
        if matches.contains(where: { $0.queue != nil }) {
            deliver(&delivery, on: SubjectRoute(matches), header, members, body)
        } else {
            for subscription in matches { offer(subscription, &delivery, header, members, body) }
        }
        matches.removeAll(keepingCapacity: true)
        swap(&matches, &spareMatches)
    }

    /// Queues a message for a subscription, unless it is dropped or the subscription has ended.
    private func offer(
        _ subscription: ClientSubscription, _ delivery: inout Delivery, _ header: Span<UInt8>, _ members: Span<UInt8>,
        _ body: Span<UInt8>
    ) {
        guard subscription.isActive, delivery.reaches(subscription) else { return }
        let target = subscription.connection
        if subscription.overflow == .drop, target.pendingBytes > limits.softPendingBytes {
            return drop(subscription)
        }
        if let reply = delivery.reply, delivery.grantsAnswer(to: subscription) {
            let isChosen = subscription.queue != nil
            target.ledger.delivered(header.extracting(reply), countsAsLoad: isChosen, now: delivery.now)
        }
        if let chaos {
            disturb(chaos, subscription, delivery, header, members, body)
        } else {
            send(subscription, members, body)
        }
        delivery.count += 1
    }

    /// Writes the current message to a subscription and counts it.
    func send(_ subscription: ClientSubscription, _ members: Span<UInt8>, _ body: Span<UInt8>) {
        let target = subscription.connection
        let written = DeliveryTail.write(
            sid: subscription.sid, members: members, body: body, into: &target.output)
        wrote(written, to: target)
        delivered(subscription)
    }

    /// Updates counters, `max` and the hard limit after a `msg` was written.
    func delivered(_ subscription: ClientSubscription) {
        let target = subscription.connection
        target.traffic.messagesOut += 1
        counters.traffic.messagesOut += 1
        subscription.delivered += 1
        if let max = subscription.max, subscription.delivered >= max {
            remove(subscription)
            if target.endedSids.count >= limits.endedSids { target.endedSids.removeFirst() }
            target.endedSids.append(subscription.sid)
        }
        if target.pendingBytes > limits.hardPendingBytes {
            endSlow(target, .afterFlush, "over \(limits.hardPendingBytes) pending bytes")
        }
    }

    private func drop(_ subscription: ClientSubscription) {
        subscription.dropped += 1
        subscription.connection.hasDropped = true
        counters.dropped += 1
    }

    /// Notifies the publisher of a request without a responder, or with overloaded ones only. It uses the publisher's
    /// subscription for the reply with the lowest sid.
    private func reportNoTaker(_ delivery: Delivery, _ subject: Span<UInt8>, _ header: Span<UInt8>) {
        let isOverload = delivery.ineligibleGroups > 0
        if isOverload { counters.noEligible += 1 }
        guard let reply = delivery.reply else {
            if !isOverload { counters.noInterest += 1 }
            return
        }
        if !isOverload { counters.noResponders += 1 }
        answer(
            delivery.publisher, at: header.extracting(reply), headers: [BusHeader.sbSubject: subject.text],
            status: isOverload ? 429 : 503)
    }

    /// Notifies clients whose requests a closed connection had received. Only clients that have requested it are
    /// notified, at their subscription for the reply, as for a request without a responder.
    func reportLost(_ connection: BrokerConnection) {
        for reply in connection.ledger.takeUnanswered() {
            let subject = reply.span
            let first = SubjectSyntax.tokenEnd(subject, 0)
            guard first < subject.count, subject.starts(with: "_INBOX.") else { continue }
            let second = SubjectSyntax.tokenEnd(subject, first + 1)
            guard second < subject.count, let owner = inboxes[subject.extracting(0..<second)],
                owner !== connection, owner.wantsLost, owner.state == .ready
            else { continue }
            if answer(owner, at: subject, status: 502) { counters.takersLost += 1 }
        }
    }

    /// Answers a request in place of a reply, at the requester's own subscription for it, and copies the answer to
    /// traces.
    /// - Returns: Whether the requester has such a subscription.
    @discardableResult private func answer(
        _ requester: BrokerConnection, at subject: Span<UInt8>, headers: BusHeaders = [:], status: Int
    ) -> Bool {
        guard let own = ownSubscription(matching: subject, of: requester) else { return false }
        var message = MsgMessage(sid: own.sid, subject: subject.text, headers: headers, status: status)
        write(to: requester) { message.encode(into: &$0) }
        delivered(own)
        for tap in router.hasTaps ? router.tapped(subject) : [] where takesCopy(tap) {
            message.sid = tap.sid
            write(to: tap.connection) { message.encode(into: &$0) }
            delivered(tap)
        }
        return true
    }

    /// Returns a connection's own subscription with the lowest sid that matches a subject.
    func ownSubscription(matching subject: Span<UInt8>, of connection: BrokerConnection) -> ClientSubscription? {
        var matches: [ClientSubscription] = []
        if connection.ownsInbox(subject) {
            connection.inboxSubscriptions.match(subject, into: &matches)
        } else {
            let route = router.route(subject)
            matches = route.plain + route.groups.flatMap(\.members)
        }
        return matches.filter { $0.connection === connection && $0.isActive }.min { $0.sid < $1.sid }
    }

    /// Copies a message to traces, which do not count as receivers. Of a reply they get all but the body.
    private func copyToTaps(_ subject: Span<UInt8>, _ members: Span<UInt8>, _ body: Span<UInt8>) {
        let isReply = subject.starts(with: "_INBOX.")
        for tap in router.tapped(subject) where takesCopy(tap) { send(tap, members, isReply ? Span() : body) }
    }

    /// Whether a trace is sent a message. It is dropped and counted for one that is behind.
    private func takesCopy(_ tap: ClientSubscription) -> Bool {
        guard tap.isActive else { return false }
        guard tap.connection.pendingBytes > limits.softPendingBytes else { return true }
        drop(tap)
        return false
    }
}
