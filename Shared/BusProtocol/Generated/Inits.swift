// Written by scripts/wire, which renews it: memberwise initialisers of structs that other modules create.
// swift-format-ignore-file

extension ConnectMessage {
    @_disfavoredOverload
    package init(
        name: borrowing String, lang: String = "swift", ver: String, inst: String? = nil, auth: Authentication = .none,
        echo: Bool = true, lost: Bool = false, pingMilliseconds: Int? = nil, seq: Int? = nil
    ) {
        self.init(
            name: copy name, lang: lang, ver: ver, inst: inst, auth: auth, echo: echo, lost: lost,
            pingMilliseconds: pingMilliseconds, seq: seq)
    }
}

extension FrameLimits {
    @_disfavoredOverload
    package init(headerBytesMax: borrowing Int, bodyBytesMax: Int) {
        self.init(headerBytesMax: copy headerBytesMax, bodyBytesMax: bodyBytesMax)
    }
}

extension HelloMessage {
    @_disfavoredOverload
    package init(
        v: borrowing String = "1", id: String, name: String, ver: String, cid: Int, auth: [String],
        maxHeader: Int = BusLimits.headerBytesMax, maxBody: Int = BusLimits.bodyBytesMax,
        maxSubs: Int = BusLimits.subscriptionsMax, pingMilliseconds: Int = 20_000, pingOut: Int = BusLimits.pingsOutMax,
        time: Int
    ) {
        self.init(
            v: copy v, id: id, name: name, ver: ver, cid: cid, auth: auth, maxHeader: maxHeader, maxBody: maxBody,
            maxSubs: maxSubs, pingMilliseconds: pingMilliseconds, pingOut: pingOut, time: time)
    }
}

extension MsgMessage {
    @_disfavoredOverload
    package init(
        sid: borrowing Int, subject: String, reply: String? = nil, key: String? = nil,
        headers: BusHeaders = BusHeaders(), status: Int? = nil
    ) {
        self.init(sid: copy sid, subject: subject, reply: reply, key: key, headers: headers, status: status)
    }
}

extension PubMessage {
    @_disfavoredOverload
    package init(
        subject: borrowing Subject, reply: Subject? = nil, key: String? = nil, headers: BusHeaders = BusHeaders(),
        seq: Int? = nil, body: [UInt8] = []
    ) {
        self.init(subject: copy subject, reply: reply, key: key, headers: headers, seq: seq, body: body)
    }
}

extension PublishHeader {
    @_disfavoredOverload
    package init(
        subject: borrowing Range<Int>, reply: Range<Int>? = nil, key: HeaderValue? = nil, headers: Range<Int>? = nil,
        seq: Int? = nil, spliced: Range<Int>? = nil
    ) {
        self.init(subject: copy subject, reply: reply, key: key, headers: headers, seq: seq, spliced: spliced)
    }
}

extension SubMessage {
    @_disfavoredOverload
    package init(
        sid: borrowing Int, subject: SubjectPattern, queue: QueueName? = nil, max: Int? = nil,
        overflow: Overflow = .close, seq: Int? = nil
    ) {
        self.init(sid: copy sid, subject: subject, queue: queue, max: max, overflow: overflow, seq: seq)
    }
}

extension UnsubMessage {
    @_disfavoredOverload
    package init(sid: borrowing Int, max: Int? = nil, seq: Int? = nil) {
        self.init(sid: copy sid, max: max, seq: seq)
    }
}
