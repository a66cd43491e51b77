import BusClient
import BusProtocol

/// A message on its way to libnats, checked by the rules of SBP/1. A message that one bus carries, the other carries
/// too.
package struct NATSOutgoing: Sendable {
    let subject: String
    var reply: String?
    let headers: BusHeaders
    let body: [UInt8]
    /// Bytes of the header in SBP/1. NATS's header takes about as many.
    let headerBytes: Int

    /// Bytes it counts for in a buffer.
    var size: Int { headerBytes + body.count }

    /// - Throws: `invalidSubject`, `invalidMessage`, `payloadTooLarge`.
    init(_ message: BusMessage) throws(BusError) {
        // Without the body, which would only be copied.
        var head = message
        head.body = []
        let frame = try head.frame()
        headerBytes = frame.count - BusLimits.prefixBytes
        guard headerBytes + message.body.count <= BusLimits.messageBytesMax else {
            throw BusError(
                .payloadTooLarge,
                "header and body have \(headerBytes + message.body.count) bytes; \(BusLimits.messageBytesMax) are allowed"
            )
        }
        for (name, value) in message.headers { try Self.check(name, value) }
        subject = message.subject
        reply = message.reply
        headers = message.headers
        body = message.body
    }

    /// Refuses headers that NATS cannot carry. NATS writes headers as HTTP does. libnats trims spaces from a value's
    /// ends and reads an empty value as the next line.
    private static func check(_ name: String, _ value: String) throws(BusError) {
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        guard isName else { throw BusError(.invalidMessage, "'\(name)' cannot be a header name on NATS") }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = value.utf8.first, let last = value.utf8.last, !isSpace(first), !isSpace(last) else {
            throw BusError(
                .invalidMessage, "the header '\(name)' is empty or has a space at an end, which NATS does not carry")
        }
    }
}
