import BusProtocol

extension BrokerCore {
    /// Handles a publish under `$`. True when the broker itself replied. False when the message is routed normally,
    /// like all under `$SRV.`.
    ///
    /// - Throws: `perm_pub` when the user may not publish to the subject, or `reserved` for the broker's other
    ///   subjects.
    func answeredBySystem(
        _ subject: Span<UInt8>, _ publish: PublishHeader, _ header: Span<UInt8>, _ body: Span<UInt8>,
        _ publisher: BrokerConnection
    ) throws(BusViolation) -> Bool {
        if subject.starts(with: "$SRV.") { return false }
        try checkSystemRight(subject, publisher)
        guard let content = chaosReply(subject, body) ?? pageReply(subject, body) else {
            counters.permissionsDenied += 1
            throw BusViolation(.reserved, "'\(subject.text)' belongs to the broker")
        }
        publisher.traffic.messagesIn += 1
        counters.traffic.messagesIn += 1
        let isAnswered = reply(content.body, content.headers, to: publish, header, publisher)
        if let seq = publish.seq {
            write(to: publisher) { OkMessage(re: .pub, seq: seq, delivered: isAnswered ? 1 : 0).encode(into: &$0) }
        }
        return true
    }

    /// Checks access to the broker's subjects under `$SYS.`. Users of a users file need a permission. Other subjects
    /// are reserved.
    private func checkSystemRight(_ subject: Span<UInt8>, _ publisher: BrokerConnection) throws(BusViolation) {
        guard let permissions = publisher.permissions,
            subject.starts(with: "$SYS.REQ.") || subject.starts(with: "$SYS.CHAOS."),
            permissions.publishing(to: subject) != .allowed
        else { return }
        counters.permissionsDenied += 1
        throw BusViolation(.permPub, "this user may not publish to '\(subject.text)'")
    }

    /// Returns the monitoring page of `$SYS.REQ.<name>`. The body has the query of HTTP, as in nats-server:
    /// `{"state":"closed","subs":true}`.
    private func pageReply(
        _ subject: Span<UInt8>, _ body: Span<UInt8>
    ) -> (body: [UInt8], headers: BusHeaders)? {
        guard subject.starts(with: "$SYS.REQ.") else { return nil }
        let name = String(subject.text.dropFirst("$SYS.REQ.".utf8.count))
        guard let page = systemRequests(name, MonitorJSON.query(body)) else { return nil }
        guard page.status == 400 else { return (page.body, [:]) }
        let message = String(decoding: page.body, as: UTF8.self).split(separator: "\n").joined(separator: " ")
        return (page.body, [BusHeader.natsServiceError: message, BusHeader.natsServiceErrorCode: "400"])
    }

    /// Replies at the publisher's own subscription for the reply subject, as status messages do.
    private func reply(
        _ body: [UInt8], _ headers: BusHeaders, to publish: PublishHeader, _ header: Span<UInt8>,
        _ publisher: BrokerConnection
    ) -> Bool {
        guard let reply = publish.reply else { return false }
        let subject = header.extracting(reply)
        guard let own = ownSubscription(matching: subject, of: publisher) else { return false }
        let message = MsgMessage(sid: own.sid, subject: subject.text, headers: headers)
        write(to: publisher) { message.encode(body: body.span, into: &$0) }
        delivered(own)
        return true
    }
}
