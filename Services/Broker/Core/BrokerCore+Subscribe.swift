import BusProtocol

extension BrokerCore {
    /// Adds a subscription. The `ok` precedes the first message, because both use the same buffer.
    func subscribe(_ message: SubMessage, _ connection: BrokerConnection) throws(BusViolation) {
        guard connection.subscriptions[message.sid] == nil else {
            throw BusViolation(.dupSid, "sid \(message.sid) is in use")
        }
        guard connection.subscriptions.count < limits.subscriptions else {
            throw BusViolation(.tooManySubs, "a connection has at most \(limits.subscriptions) subscriptions")
        }
        let subscription = try makeSubscription(message, connection)
        connection.endedSids.removeAll { $0 == message.sid }
        connection.subscriptions[message.sid] = subscription
        if subscription.isInbox {
            connection.inboxSubscriptions.insert(subscription)
        } else {
            router.insert(subscription)
        }
        acknowledge(.sub, message.seq, connection)
    }

    /// Ends a subscription, or sets the number of deliveries after which it ends.
    func unsubscribe(_ message: UnsubMessage, _ connection: BrokerConnection) throws(BusViolation) {
        if let subscription = connection.subscriptions[message.sid] {
            if let max = message.max, max > subscription.delivered {
                subscription.max = max
            } else {
                remove(subscription)
            }
        } else if let index = connection.endedSids.firstIndex(of: message.sid) {
            connection.endedSids.remove(at: index)
        } else if message.seq != nil {
            throw BusViolation(.unknownSid, "there is no subscription \(message.sid)")
        }
        acknowledge(.unsub, message.seq, connection)
    }

    /// Ends a subscription of an open connection.
    func remove(_ subscription: ClientSubscription) {
        subscription.connection.subscriptions[subscription.sid] = nil
        retire(subscription)
    }

    /// Removes a subscription from the routes.
    func retire(_ subscription: ClientSubscription) {
        subscription.isActive = false
        if subscription.isInbox {
            subscription.connection.inboxSubscriptions.remove(subscription)
        } else {
            router.remove(subscription)
        }
    }

    /// Sends `ok` if the frame had a `seq`.
    func acknowledge(_ op: BusOp, _ seq: Int?, _ connection: BrokerConnection) {
        guard let seq else { return }
        write(to: connection) { OkMessage(re: op, seq: seq).encode(into: &$0) }
    }

    /// Decides whether the connection may subscribe to the pattern, and creates the subscription.
    private func makeSubscription(
        _ message: SubMessage, _ connection: BrokerConnection
    ) throws(BusViolation) -> ClientSubscription {
        let pattern = message.subject
        let bytes = pattern.text.utf8.span
        let isInbox = bytes.starts(with: "_INBOX.") || bytes.isEqual("_INBOX")
        if isInbox, !connection.ownsInbox(bytes) {
            throw refused(.permSub, "inboxes are private; yours is '\(connection.inbox).'")
        }
        let traced = try tracedPattern(pattern)
        let refusal = connection.permissions?.refusal(
            of: pattern, traced: traced, queue: message.queue, isOwnInbox: isInbox)
        if let refusal { throw refused(.permSub, refusal) }
        return ClientSubscription(
            connection, message, pattern: traced ?? pattern,
            kind: traced != nil ? .tap : isInbox ? .inbox : .ordinary)
    }

    private func refused(_ code: BusErrorCode, _ reason: String) -> BusViolation {
        counters.permissionsDenied += 1
        return BusViolation(code, reason)
    }

    /// Returns the pattern to trace, for `$SYS.TAP.<pattern>`. Nil for patterns that are not under `$`, or under
    /// `$SRV.`.
    private func tracedPattern(_ pattern: SubjectPattern) throws(BusViolation) -> SubjectPattern? {
        let bytes = pattern.text.utf8.span
        guard bytes[0] == UInt8(ascii: "$"), !bytes.starts(with: "$SRV.") else { return nil }
        let prefix = "$SYS.TAP."
        guard pattern.text.hasPrefix(prefix) else {
            throw refused(.reserved, "only '$SRV.' and '$SYS.TAP.' are open to subscriptions under '$'")
        }
        let traced = try SubjectPattern(String(pattern.text.dropFirst(prefix.count)))
        let subject = traced.text.utf8.span
        guard subject.starts(with: "_INBOX.") || !SubjectSyntax.isHiddenFromWildcards(subject) else {
            throw refused(.permSub, "'\(traced)' cannot be traced: subjects under '$' are the broker's")
        }
        return traced
    }
}
