/// Cuts a stream of bytes into frames, however the stream was split.
///
/// Complete frames are handed out in place in the input. Only an unfinished one is copied. Flags and lengths are
/// checked as soon as they arrive, before anything is kept for them. The memory grows with the bytes that really
/// arrived.
package struct FrameDecoder {
    /// The decision after a frame.
    package enum Verdict: Sendable {
        /// Go on.
        case proceed
        /// Go on with other limits, as after `connect`.
        case proceedWith(FrameLimits)
        /// The connection is done, so the rest of the input is dropped.
        case stop
    }

    private var limits: FrameLimits
    private var unfinished: [UInt8] = []

    /// Creates a decoder at the start of a stream.
    package init(limits: FrameLimits) {
        self.limits = limits
    }

    /// Whether part of a frame has arrived. The broker gives it ten seconds.
    package var isMidFrame: Bool { !unfinished.isEmpty }

    /// Takes input and hands out every frame it completes, in order.
    ///
    /// - Parameters:
    ///   - input: The bytes, which are not kept after the call.
    ///   - handle: Gets header and body of one frame, both valid during the call only.
    /// - Throws: `bad_frame`, `header_too_large` or `body_too_large`. The decoder must not be used after it.
    package mutating func decode(
        _ input: Span<UInt8>, _ handle: (_ header: Span<UInt8>, _ body: Span<UInt8>) -> Verdict
    ) throws(BusViolation) {
        var at = 0
        if !unfinished.isEmpty {
            guard try completeUnfinished(input, &at) else { return }
            let frame = unfinished
            unfinished = []
            guard try handOut(frame.span, handle) else { return }
        }
        while at < input.count {
            let rest = input.extracting(at..<input.count)
            guard let length = try frameLength(rest), length <= rest.count else {
                unfinished.append(rest)
                return
            }
            guard try handOut(rest.extracting(0..<length), handle) else { return }
            at += length
        }
    }

    /// Moves to the unfinished frame the bytes it lacks. True when it is whole.
    private mutating func completeUnfinished(_ input: Span<UInt8>, _ at: inout Int) throws(BusViolation) -> Bool {
        while unfinished.count < BusLimits.prefixBytes {
            guard at < input.count else { return false }
            unfinished.append(input[at])
            at += 1
            _ = try frameLength(unfinished.span)
        }
        guard let length = try frameLength(unfinished.span) else { return false }
        let taken = min(length - unfinished.count, input.count - at)
        unfinished.append(input.extracting(at..<(at + taken)))
        at += taken
        return unfinished.count == length
    }

    /// Gives one whole frame to the handler. False to stop.
    private mutating func handOut(
        _ frame: Span<UInt8>, _ handle: (_ header: Span<UInt8>, _ body: Span<UInt8>) -> Verdict
    ) throws(BusViolation) -> Bool {
        let headerEnd = BusLimits.prefixBytes + Self.headerLength(frame)
        let header = frame.extracting(BusLimits.prefixBytes..<headerEnd)
        switch handle(header, frame.extracting(headerEnd..<frame.count)) {
        case .proceed: return true
        case .proceedWith(let limits):
            self.limits = limits
            return true
        case .stop: return false
        }
    }

    /// Checks as much of the prefix as is there. Returns the whole frame's length once the prefix is complete.
    private func frameLength(_ bytes: Span<UInt8>) throws(BusViolation) -> Int? {
        guard bytes.count > 0 else { return nil }
        guard bytes[0] == 0 else { throw BusViolation(.badFrame, "flags are \(bytes[0]), version 1 has none") }
        guard bytes.count >= 4 else { return nil }
        let header = Self.headerLength(bytes)
        guard header >= BusLimits.headerBytesMin else {
            throw BusViolation(.badFrame, "a header of \(header) bytes is too short for JSON")
        }
        guard header <= limits.headerBytesMax else {
            throw BusViolation(
                .headerTooLarge, "a header of \(header) bytes; \(limits.headerBytesMax) are allowed here")
        }
        guard bytes.count >= BusLimits.prefixBytes else { return nil }
        let body = Int(bytes[4]) << 24 | Int(bytes[5]) << 16 | Int(bytes[6]) << 8 | Int(bytes[7])
        guard body <= limits.bodyBytesMax else {
            throw BusViolation(.bodyTooLarge, "a body of \(body) bytes; \(limits.bodyBytesMax) are allowed here")
        }
        return BusLimits.prefixBytes + header + body
    }

    private static func headerLength(_ bytes: Span<UInt8>) -> Int {
        Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
    }
}

/// How large a frame may be on one connection at one moment.
package struct FrameLimits: Sendable, Equatable {
    /// Bytes of the header.
    package var headerBytesMax: Int
    /// Bytes of the body.
    package var bodyBytesMax: Int

    /// The limits of the broker for a connection that has not signed in.
    package static let beforeConnect = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMaxBeforeConnect, bodyBytesMax: BusLimits.bodyBytesMaxBeforeConnect)
    /// The limits of the broker for a connection that has signed in.
    package static let connected = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMax, bodyBytesMax: BusLimits.bodyBytesMax)
    /// The limits of a client for a broker with the default limits.
    package static let fromBroker = FrameLimits(
        headerBytesMax: BusLimits.headerBytesMax + BusLimits.deliveryHeaderSlackBytes,
        bodyBytesMax: BusLimits.bodyBytesMax)
}
