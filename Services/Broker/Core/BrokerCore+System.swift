import BusProtocol

extension BrokerCore {
    /// Handles a publish under `$`. True when the broker itself answered it; false when it goes the usual way, as
    /// everything under `$SRV.` does.
    ///
    /// - Throws: `reserved` for everything that is the broker's.
    func answeredBySystem(
        _ subject: Span<UInt8>, _ publish: PublishHeader, _ header: Span<UInt8>, _ publisher: BrokerConnection
    ) throws(BusViolation) -> Bool {
        if subject.starts(with: "$SRV.") { return false }
        try checkSystemRight(subject, publisher)
        guard subject.starts(with: "$SYS.REQ."),
            let answer = systemRequests(String(subject.text.dropFirst("$SYS.REQ.".utf8.count)))
        else {
            counters.permissionsDenied += 1
            throw BusViolation(.reserved, "'\(subject.text)' belongs to the broker")
        }
        publisher.traffic.messagesIn += 1
        counters.traffic.messagesIn += 1
        let isAnswered = reply(answer, to: publish, header, publisher)
        if let seq = publish.seq {
            write(to: publisher) { OkMessage(re: .pub, seq: seq, delivered: isAnswered ? 1 : 0).encode(into: &$0) }
        }
        return true
    }

    /// What the broker offers under `$SYS.` a user of a users file gets by permission; the rest is reserved for everybody.
    private func checkSystemRight(_ subject: Span<UInt8>, _ publisher: BrokerConnection) throws(BusViolation) {
        guard let permissions = publisher.permissions,
            subject.starts(with: "$SYS.REQ.") || subject.starts(with: "$SYS.CHAOS."),
            permissions.publishing(to: subject) != .allowed
        else { return }
        counters.permissionsDenied += 1
        throw BusViolation(.permPub, "this user may not publish to '\(subject.text)'")
    }

    /// Answers at the publisher's own subscription for the reply, as status messages do.
    private func reply(
        _ body: [UInt8], to publish: PublishHeader, _ header: Span<UInt8>, _ publisher: BrokerConnection
    ) -> Bool {
        guard let reply = publish.reply else { return false }
        let subject = header.extracting(reply)
        guard let own = ownSubscription(matching: subject, of: publisher) else { return false }
        let message = MsgMessage(sid: own.sid, subject: subject.text)
        write(to: publisher) { message.encode(body: body.span, into: &$0) }
        delivered(own)
        return true
    }
}
