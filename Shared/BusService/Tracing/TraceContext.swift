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

    /// Reads a `traceparent`. Nil unless it is well formed.
    package init?(traceparent: String) {
        var text = traceparent
        let parts = text.withUTF8 { text -> (String, String, String)? in
            let (trace, span, flags) = (3..<35, 36..<52, 53..<55)
            guard text.count == 55, text[..<3].elementsEqual("00-".utf8), text[35] == UInt8(ascii: "-"),
                text[52] == UInt8(ascii: "-"), Self.isIdentifier(text[trace]), Self.isIdentifier(text[span]),
                Self.isHex(text[flags])
            else { return nil }
            func part(_ range: Range<Int>) -> String {
                String(decoding: UnsafeBufferPointer(rebasing: text[range]), as: UTF8.self)
            }
            return (part(trace), part(span), part(flags))
        }
        guard let parts else { return nil }
        (traceID, spanID, flags) = parts
    }

    private init(traceID: String, flags: String) {
        self.traceID = traceID
        self.flags = flags
        spanID = Self.hex(digits: 16)
    }

    /// The context of the receiver: same trace, new span. An absent or malformed header starts a trace.
    package static func next(after traceparent: String?) -> TraceContext { received(traceparent).trace }

    /// The context of the receiver, and the sender's span. That is nil for a trace that begins here.
    package static func received(_ traceparent: String?) -> (trace: TraceContext, parent: String?) {
        guard let parent = traceparent.flatMap(TraceContext.init(traceparent:)) else { return (TraceContext(), nil) }
        return (TraceContext(traceID: parent.traceID, flags: parent.flags), parent.spanID)
    }

    /// The value of the header.
    package var traceparent: String { "00-\(traceID)-\(spanID)-\(flags)" }

    private static func isIdentifier(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        isHex(text) && text.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isHex(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        text.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }

    private static func hex(digits: Int) -> String { RandomIdentifier.hex(digits: digits) }
}
