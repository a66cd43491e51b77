/// `drain`: the broker is about to stop. All ops stay legal; within `inMilliseconds` it says `bye`.
///
/// `{"op":"drain","in_ms":5000,"why":"shutting down"}`
package struct DrainMessage: Sendable, Equatable {
    /// Milliseconds until the broker says `bye`, at most.
    package var inMilliseconds: Int
    package var why: String

    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        inMilliseconds = try header.integer(.inMilliseconds, in: bytes)
        why = try header.optionalText(.why, in: bytes) ?? ""
    }
}
