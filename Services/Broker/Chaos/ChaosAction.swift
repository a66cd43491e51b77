/// What a fault does to a message, or to the connection it was for.
package enum ChaosAction: String, CaseIterable, Sendable, Codable {
    /// The message is lost.
    case drop
    /// It arrives twice.
    case dup
    /// It arrives later; others overtake it.
    case delay
    /// It arrives behind the next message for the same connection, or later when there is none.
    case reorder
    /// One bit of its prefix or header is turned. Bodies are left alone: nothing on the bus guards them against it, so it
    /// would be a test of nobody's promise.
    case corrupt
    /// The connection it was for is cut.
    case close
    /// It arrives in many small pieces, and what follows it behind them.
    case slice
    /// The connection it was for carries nothing any more, in neither direction, and is not closed either.
    case blackhole
}
