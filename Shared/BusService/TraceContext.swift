/// A W3C trace context: a request's trace and its span in it.
///
/// On the wire: `traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Source: W3C Trace Context,
/// Level 1.
package struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits, the same in every hop.
    package let traceID: String
    /// 16 hexadecimal digits, new in every hop.
    package let spanID: String
    /// Two hexadecimal digits, passed on.
    package let flags: String

    /// Starts a new trace.
    package init() {
        traceID = Self.hex(digits: 32)
        spanID = Self.hex(digits: 16)
        flags = "01"
    }

    /// Reads a `traceparent`; nil unless it is well formed.
    package init?(traceparent: String) {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map(Substring.init)
        guard parts.count == 4, parts[0] == "00", Self.isIdentifier(parts[1], digits: 32),
            Self.isIdentifier(parts[2], digits: 16), Self.isHex(parts[3], digits: 2)
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        flags = String(parts[3])
    }

    private init(traceID: String, flags: String) {
        self.traceID = traceID
        self.flags = flags
        spanID = Self.hex(digits: 16)
    }

    /// The context of the receiver: same trace, new span. An absent or malformed header starts a trace.
    package static func next(after traceparent: String?) -> TraceContext {
        guard let parent = traceparent.flatMap(TraceContext.init(traceparent:)) else { return TraceContext() }
        return TraceContext(traceID: parent.traceID, flags: parent.flags)
    }

    /// The value of the header.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func isIdentifier(_ text: Substring, digits: Int) -> Bool {
        isHex(text, digits: digits) && text.utf8.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isHex(_ text: Substring, digits: Int) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func hex(digits: Int) -> String { RandomIdentifier.hex(digits: digits) }
}
