/// How a connection ends.
package enum Ending: Sendable, Equatable {
    /// Write what is pending, then close; whoever does not take it within the linger time is cut off.
    case afterFlush
    /// Close at once; pending bytes are given up.
    case now
}
