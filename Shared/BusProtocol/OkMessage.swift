/// `ok`: the broker's acknowledgement of a frame with `seq`, and always of `connect`.
///
/// `{"op":"ok","re":"pub","seq":4,"delivered":1}` ·
/// `{"op":"ok","re":"connect","user":"default","inbox":"_INBOX.x","ping_ms":2000}`
package struct OkMessage: Sendable, Equatable {
    /// The op it answers.
    package var re: String
    /// The `seq` of the acknowledged frame, if it had one.
    package var seq: Int?
    /// Subscriptions a `pub` was queued for.
    package var delivered: Int?
    /// The user of the connection, for `connect` only.
    package var user: String?
    /// `_INBOX.<id>`, this connection's own prefix, for `connect` only.
    package var inbox: String?
    /// The ping interval in force, for `connect` only.
    package var pingMilliseconds: Int?

    /// Creates an acknowledgement of the frame `seq` of an op.
    package init(
        re: BusOp, seq: Int? = nil, delivered: Int? = nil, user: String? = nil, inbox: String? = nil,
        pingMilliseconds: Int? = nil
    ) {
        self.re = re.rawValue
        self.seq = seq
        self.delivered = delivered
        self.user = user
        self.inbox = inbox
        self.pingMilliseconds = pingMilliseconds
    }
}

extension OkMessage {
    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        re = try header.text(.re, in: bytes)
        seq = try header.optionalInteger(.seq, in: bytes)
        delivered = try header.optionalInteger(.delivered, in: bytes)
        user = try header.optionalText(.user, in: bytes)
        inbox = try header.optionalText(.inbox, in: bytes)
        pingMilliseconds = try header.optionalInteger(.pingMilliseconds, in: bytes)
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.ok, into: &output)
        frame.member(.re, re, into: &output)
        frame.member(.seq, seq, into: &output)
        frame.member(.delivered, delivered, into: &output)
        frame.member(.user, user, into: &output)
        frame.member(.inbox, inbox, into: &output)
        frame.member(.pingMilliseconds, pingMilliseconds, into: &output)
        frame.finish(into: &output)
    }
}
