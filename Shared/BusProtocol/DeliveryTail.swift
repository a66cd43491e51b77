/// The part of a `msg` header that all deliveries of one `pub` share, spliced from the publisher's own bytes.
///
/// Only `sid` differs between deliveries, so a fan-out writes the rest once. The buffer is kept between publishes.
package struct DeliveryTail {
    private var members: [UInt8] = []

    package init() {}

    /// Takes over the members of a `pub`: subject, reply, key and headers as they were written, without `seq`.
    package mutating func take(_ publish: PublishHeader, from bytes: Span<UInt8>) {
        members.removeAll(keepingCapacity: true)
        members.append(contentsOf: ",\"subject\":\"".utf8)
        members.append(bytes.extracting(publish.subject))
        members.append(UInt8(ascii: "\""))
        if let reply = publish.reply {
            members.append(contentsOf: ",\"reply\":\"".utf8)
            members.append(bytes.extracting(reply))
            members.append(UInt8(ascii: "\""))
        }
        if let key = publish.key {
            members.append(contentsOf: ",\"key\":\"".utf8)
            members.append(bytes.extracting(key.range))
            members.append(UInt8(ascii: "\""))
        }
        if let headers = publish.headers {
            members.append(contentsOf: ",\"headers\":".utf8)
            members.append(bytes.extracting(headers))
        }
    }

    /// Writes one delivery. Returns the frame's length.
    @discardableResult
    package func write(sid: Int, body: Span<UInt8>, into output: inout [UInt8]) -> Int {
        let start = output.count
        let frame = FrameWriter(.msg, into: &output)
        frame.member(.sid, sid, into: &output)
        frame.rawMembers(members.span, into: &output)
        frame.finish(body: body, into: &output)
        return output.count - start
    }
}
