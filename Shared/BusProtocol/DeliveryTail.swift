/// The part of a `msg` header that all deliveries of one `pub` share. It is spliced from the publisher's own bytes.
///
/// Only `sid` differs between deliveries, so a fan-out makes the rest once. A header in the canonical spelling holds it
/// as one piece already (`PublishHeader.spliced`). For any other it is put together here, in a buffer that is kept
/// between publishes.
package struct DeliveryTail {
    /// `,"subject":"…"` and any further members, each with its comma before it.
    package private(set) var members: [UInt8] = []

    /// Creates an empty tail, which ``take(_:from:)`` fills.
    package init() {}

    /// Takes over subject, reply, key and headers of a `pub` as they were written. `seq` is left out.
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

    /// Writes one delivery of the message that was taken.
    /// - Returns: The frame's length.
    @discardableResult
    package func write(sid: Int, body: Span<UInt8>, into output: inout [UInt8]) -> Int {
        Self.write(sid: sid, members: members.span, body: body, into: &output)
    }

    /// Writes one delivery in one step of the buffer, each byte once. It is prefix, opening, sid, the shared members,
    /// body.
    /// - Returns: The frame's length.
    @discardableResult
    package static func write(
        sid: Int, members: Span<UInt8>, body: Span<UInt8>, into output: inout [UInt8]
    ) -> Int {
        let opening: StaticString = #"{"op":"msg","sid":"#
        let digits = decimalDigits(sid)
        let header = opening.utf8CodeUnitCount + digits + members.count + 1
        let length = BusLimits.prefixBytes + header + body.count
        output.append(addingCapacity: length) { frame in
            frame.withUnsafeMutableBufferPointer { room, count in
                // One check for the whole frame; the pieces below are what `length` is the sum of.
                precondition(room.count - count >= length, "a frame needs its room")
                guard var at = room.baseAddress.map({ UnsafeMutableRawPointer($0 + count) }) else { return }
                at.storeBytes(of: (UInt64(header) << 32 | UInt64(body.count)).bigEndian, as: UInt64.self)
                at += BusLimits.prefixBytes
                at.copyMemory(from: opening.utf8Start, byteCount: opening.utf8CodeUnitCount)
                at += opening.utf8CodeUnitCount
                write(sid, digits, at)
                at = copy(members, to: at + digits)
                at.storeBytes(of: UInt8(ascii: "}"), as: UInt8.self)
                _ = copy(body, to: at + 1)
                count += length
            }
        }
        return length
    }

    @inline(__always)
    private static func copy(_ bytes: Span<UInt8>, to at: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        bytes.withUnsafeBytes { source in
            if let from = source.baseAddress { at.copyMemory(from: from, byteCount: source.count) }
            return at + source.count
        }
    }

    /// Writes a number from its last digit to its first.
    private static func write(_ number: Int, _ digits: Int, _ at: UnsafeMutableRawPointer) {
        var rest = UInt(bitPattern: number)
        for offset in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            at.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
            rest /= 10
        }
    }

    private static func decimalDigits(_ number: Int) -> Int {
        precondition(number >= 0, "SBP/1 has no negative numbers")
        var (digits, rest) = (1, number)
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        return digits
    }
}
