/// How a connection is closed.
package enum Ending: Sendable, Equatable {
    /// Write pending bytes, then close. A client that does not take them within the linger time is cut off.
    case afterFlush
    /// Close immediately; pending bytes are discarded.
    case now
}
