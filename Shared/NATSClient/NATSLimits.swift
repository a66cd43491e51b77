import BusClient
import EventLoop

/// The bounds of a NATS client in addition to ``BusClientLimits``, each with its reason.
enum NATSLimits {
    /// Bytes that may wait for libnats to write them. SBP/1's broker keeps as much for a slow consumer. Beyond it
    /// events and requests are refused with `bufferFull`.
    static let outgoingBytesMax = 64 << 20
    /// Messages that may wait for the loop. Beyond it messages are dropped, counted and logged, because libnats reads
    /// on when its reader is slow.
    static let incomingMax = 65_536
    /// Bytes of messages that may wait for the loop.
    static let incomingBytesMax = 64 << 20
    /// How long one write may take until the connection counts as lost.
    static let writeDeadline: Duration = .seconds(2)
    /// Pings without an answer after which the connection is dead.
    static let pingsOutMax: Int32 = 2
}

extension Duration {
    /// Milliseconds for libnats; at least one.
    var natsMilliseconds: Int64 { Int64(max(1, wholeMilliseconds)) }
}
