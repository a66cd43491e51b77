import Glibc

/// Bytes that a server has sent and the client has not read yet.
///
/// Frames are only cut apart, as far as counting needs it: the load generator shares the machine with what it measures.
struct Incoming: ~Copyable {
    /// One thing that arrived. Bytes are valid until the next one is asked for.
    enum Event {
        /// `head` is SBP's header or the line of NATS.
        case message(head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer)
        case ping, pong
        /// A greeting or an acknowledgement.
        case other(UnsafeRawBufferPointer)
        /// A refusal; there must be none.
        case refusal(String)
    }

    private let wire: Wire
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 512 * 1024, alignment: 16)
    private var start = 0
    private var end = 0

    init(_ wire: Wire) {
        self.wire = wire
    }

    deinit { memory.deallocate() }

    /// Reads once. Returns what `receive` did, which is as `recv`.
    mutating func fill(from receive: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        if start > 0 {
            memmove(memory.baseAddress!, memory.baseAddress! + start, end - start)
            end -= start
            start = 0
        }
        let count = receive(UnsafeMutableRawBufferPointer(rebasing: memory[end...]))
        end += max(0, count)
        return count
    }

    /// The next whole frame; nil until more was read.
    mutating func next() -> Event? {
        switch wire {
        case .sbp: nextFrame()
        case .nats: nextLine()
        }
    }

    private mutating func nextFrame() -> Event? {
        guard end - start >= 8 else { return nil }
        let lengths = memory.loadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian
        let bodyAt = start + 8 + Int(lengths >> 32 & 0xFF_FFFF)
        let stop = bodyAt + Int(lengths & 0xFFFF_FFFF)
        guard stop <= end else { return nil }
        let head = slice(start + 8, bodyAt)
        start = stop
        // Every header of the broker begins with {"op":"…
        switch (head[7], head[8]) {
        case (UInt8(ascii: "m"), _): return .message(head: head, body: slice(bodyAt, stop))
        case (UInt8(ascii: "p"), UInt8(ascii: "i")): return .ping
        case (UInt8(ascii: "p"), UInt8(ascii: "o")): return .pong
        case (UInt8(ascii: "e"), _), (UInt8(ascii: "d"), _), (UInt8(ascii: "b"), _): return .refusal(Self.text(head))
        default: return .other(head)
        }
    }

    private mutating func nextLine() -> Event? {
        let base = UnsafeRawPointer(memory.baseAddress!)
        guard let newline = memchr(base + start, 10, end - start) else { return nil }
        let lineEnd = UnsafeRawPointer(newline) - base - 1
        let line = slice(start, lineEnd)
        switch (line[0], line[1]) {
        case (UInt8(ascii: "M"), _):
            let stop = lineEnd + 4 + Self.lastNumber(line)
            guard stop <= end else { return nil }
            start = stop
            return .message(head: line, body: slice(lineEnd + 2, stop - 2))
        case (UInt8(ascii: "P"), let second):
            start = lineEnd + 2
            return second == UInt8(ascii: "I") ? .ping : .pong
        case (UInt8(ascii: "-"), _), (UInt8(ascii: "H"), _): return .refusal(Self.text(line))
        default:
            start = lineEnd + 2
            return .other(line)
        }
    }

    private func slice(_ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory.baseAddress! + from, count: to - from)
    }

    private static func lastNumber(_ line: UnsafeRawBufferPointer) -> Int {
        var (number, scale, at) = (0, 1, line.count - 1)
        while line[at] != UInt8(ascii: " ") {
            number += Int(line[at] - UInt8(ascii: "0")) * scale
            scale *= 10
            at -= 1
        }
        return number
    }

    static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}
