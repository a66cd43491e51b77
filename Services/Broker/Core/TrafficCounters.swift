/// Messages and bytes in both directions, of one connection or of the broker.
package struct TrafficCounters: Sendable, Equatable {
    /// Accepted `pub` frames.
    package var messagesIn = 0
    /// Bytes of everything received.
    package var bytesIn = 0
    /// `msg` frames written.
    package var messagesOut = 0
    /// Bytes of everything written.
    package var bytesOut = 0
}
