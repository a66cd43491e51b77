@testable import BusProtocol

/// A `pub` through the splice that makes a `msg` of it: the message means what one written anew from its members means,
/// the body is untouched, and the header has grown by no more than clients are promised.
///
/// Input: one byte with the body's length, the header, the body.
enum DeliveryTarget {
    static func run(_ input: [UInt8]) -> CInt {
        guard let first = input.first else { return 0 }
        let rest = Array(input.dropFirst())
        let bodyCount = min(Int(first), rest.count)
        let header = Array(rest.dropLast(bodyCount))
        let body = Array(rest.suffix(bodyCount))
        guard let scanned = try? FrameHeader(scanning: header.span),
            case .pub(let publish)? = try? ClientMessage(scanned, in: header.span, bodyCount: body.count)
        else {
            FuzzInput.require(PublishHeader(canonical: header.span) == nil, "what the scanner refuses is refused")
            return 0
        }
        check(publish, header, body)
        if let quick = PublishHeader(canonical: header.span) { compare(quick, publish, header) }
        return 0
    }

    /// The one-pass reader takes only what the scanner takes, and finds the same.
    private static func compare(_ quick: PublishHeader, _ publish: PublishHeader, _ header: [UInt8]) {
        var tail = DeliveryTail()
        tail.take(publish, from: header.span)
        FuzzInput.require(
            quick.subject == publish.subject && quick.reply == publish.reply && quick.headers == publish.headers
                && quick.seq == publish.seq && quick.key?.range == publish.key?.range,
            "both readers find the same members")
        FuzzInput.require(
            quick.spliced.map { Array(header[$0]) } == tail.members, "the members stand together as a delivery has them"
        )
    }

    private static func check(_ publish: PublishHeader, _ header: [UInt8], _ body: [UInt8]) {
        var spliced: [UInt8] = []
        var tail = DeliveryTail()
        tail.take(publish, from: header.span)
        let length = tail.write(sid: BusLimits.integerMax, body: body.span, into: &spliced)
        FuzzInput.require(length == spliced.count, "the splice knows its length")
        var anew: [UInt8] = []
        let message = message(publish, header)
        message.encode(body: body.span, into: &anew)
        for frame in [spliced, anew] {
            FuzzInput.require(read(frame, body) == message, "a spliced message means what its members say")
        }
        FuzzInput.require(
            spliced.count - BusLimits.prefixBytes - body.count <= header.count + BusLimits.deliveryHeaderSlackBytes,
            "a delivery is longer than its publish by the slack at most")
    }

    /// The members one by one.
    private static func message(_ publish: PublishHeader, _ header: [UInt8]) -> MsgMessage {
        let bytes = header.span
        var headers = BusHeaders()
        if let range = publish.headers {
            guard let read = try? BusHeaders(checked: range, in: bytes) else {
                FuzzInput.require(false, "headers that were checked can be read")
                return MsgMessage(sid: 0, subject: "")
            }
            headers = read
        }
        return MsgMessage(
            sid: BusLimits.integerMax, subject: bytes.extracting(publish.subject).text,
            reply: publish.reply.map { bytes.extracting($0).text }, key: publish.key?.text(in: bytes), headers: headers)
    }

    /// The message in one frame whose body is as given; nil for anything else.
    private static func read(_ frame: [UInt8], _ body: [UInt8]) -> MsgMessage? {
        var decoder = FrameDecoder(limits: FrameLimits(headerBytesMax: .max, bodyBytesMax: BusLimits.bodyBytesMax))
        var found: [MsgMessage?] = []
        try? decoder.decode(frame.span) { header, received in
            let isSame = received.isEqual(body.span)
            if isSame, case .msg(let message)? = try? ServerMessage(header) {
                found.append(message)
            } else {
                found.append(nil)
            }
            return .proceed
        }
        return found.count == 1 ? found[0] : nil
    }
}
