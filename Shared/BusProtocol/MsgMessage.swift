/// `msg`: one delivery to one subscription. The body follows the header in the frame.
///
/// `{"op":"msg","sid":7,"subject":"sb.catalog.v1.products.get","reply":"_INBOX.x.1","headers":{…}}` · body
package struct MsgMessage: Sendable, Equatable {
    /// The receiver's subscription, as its `sub` numbered it.
    package var sid: Int
    /// The literal subject it was published to.
    package var subject: String
    /// Where an answer goes.
    package var reply: String?
    /// The affinity key it was published with. Nil without one.
    package var key: String?
    /// The headers as published. Empty when the frame has none.
    package var headers: BusHeaders = BusHeaders()
    /// The broker's answer in place of a reply. Nil on other deliveries. 503 means that the subject has no subscriber,
    /// 429 that every subscriber is overloaded, and 502 that the member that took the request has gone.
    package var status: Int?
}

extension MsgMessage {
    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        sid = try header.integer(.sid, in: bytes)
        guard let subjectRange = try header.routing(.subject) else { throw FrameHeader.missing(.subject) }
        subject = bytes.extracting(subjectRange).text
        reply = nil
        if let range = try header.routing(.reply) { reply = bytes.extracting(range).text }
        key = try header.optionalText(.key, in: bytes)
        headers = BusHeaders()
        if let range = try header.checkedHeaders() { headers = try BusHeaders(checked: range, in: bytes) }
        status = try header.optionalInteger(.status, in: bytes)
    }

    /// Writes the frame. The broker's own path does not come through here (see `DeliveryTail`).
    package func encode(body: Span<UInt8> = Span(), into output: inout [UInt8]) {
        let frame = FrameWriter(.msg, into: &output)
        frame.member(.sid, sid, into: &output)
        frame.member(.subject, subject, into: &output)
        frame.member(.reply, reply, into: &output)
        frame.member(.key, key, into: &output)
        frame.member(.headers, headers, into: &output)
        frame.member(.status, status, into: &output)
        frame.finish(body: body, into: &output)
    }
}
