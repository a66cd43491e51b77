/// Effect of a fault on a message, or on its receiver's connection.
package enum ChaosAction: String, CaseIterable, Sendable, Codable {
    /// The message is lost.
    case drop
    /// It arrives twice.
    case dup
    /// It arrives later; others overtake it.
    case delay
    /// It arrives after the next message for the same connection. Without a next one it arrives after its delay.
    case reorder
    /// One bit of its prefix or header is flipped. Bodies are not changed: the bus does not protect them, so such a
    /// test would check nothing the bus guarantees.
    case corrupt
    /// The receiver's connection is cut.
    case close
    /// It arrives in many small pieces, and later bytes after them.
    case slice
    /// The receiver's connection carries nothing any more in either direction, and is not closed.
    case blackhole
}
