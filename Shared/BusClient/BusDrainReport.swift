/// What a client gave up when it was drained.
package struct BusDrainReport: Hashable, Sendable {
    /// Requests that still waited for their answer. They have failed with `closed`; whether they were done is unknown.
    package var requests: Int
    /// Events that waited for a connection and were never sent.
    package var events: Int
    /// Whether the bus has acknowledged everything sent before. If not, what was published last may be lost.
    package var isFlushed: Bool

    package init(requests: Int = 0, events: Int = 0, isFlushed: Bool) {
        self.requests = requests
        self.events = events
        self.isFlushed = isFlushed
    }

    /// Whether nothing was abandoned.
    package var isClean: Bool { requests == 0 && events == 0 && isFlushed }
}
