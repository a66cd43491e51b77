import EventLoop

/// The current connection state and its readers.
package final class StateBroadcast: Sendable {
    private struct Contents {
        var state = BusConnectionState.connecting
        var endReason: BusError?
        var nextReader = 0
        var readers: [Int: AsyncStream<BusConnectionState>.Continuation] = [:]
    }

    private let contents = Locked(Contents())

    /// Creates a broadcast in the state `connecting`.
    package init() {}

    /// The state that was set last.
    package var state: BusConnectionState { contents.withLock { $0.state } }
    /// Nil until ``end(_:)``.
    package var endReason: BusError? { contents.withLock { $0.endReason } }

    /// Ends the broadcast with a reason. A second reason is ignored.
    package func end(_ reason: BusError) {
        contents.withLock { if $0.endReason == nil { $0.endReason = reason } }
        set(.closed)
    }

    /// Changes the state and notifies every reader. `closed` is the last state.
    ///
    /// Only the connection's loop calls it. So readers see the states in their order.
    package func set(_ state: BusConnectionState) {
        let readers: [AsyncStream<BusConnectionState>.Continuation] = contents.withLock { contents in
            guard contents.state != .closed, contents.state != state else { return [] }
            contents.state = state
            defer { if state == .closed { contents.readers = [:] } }
            return Array(contents.readers.values)
        }
        // Outside of the lock. Waking a reader takes the lock of its task. A canceller of that task holds that lock, and
        // its termination handler waits for this one.
        for reader in readers {
            reader.yield(state)
            if state == .closed { reader.finish() }
        }
    }

    /// A stream that begins with the current state.
    package func stream() -> AsyncStream<BusConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BusConnectionState.self, bufferingPolicy: .bufferingNewest(BusClientLimits.statesMax))
        let reader: Int? = contents.withLock { contents in
            // No task waits for the stream yet, so none is woken.
            continuation.yield(contents.state)
            if contents.state == .closed { return nil }
            contents.nextReader += 1
            contents.readers[contents.nextReader] = continuation
            return contents.nextReader
        }
        if let reader {
            continuation.onTermination = { [weak self] _ in self?.remove(reader) }
        } else {
            continuation.finish()
        }
        return stream
    }

    private func remove(_ reader: Int) {
        // The continuation is released outside of the lock: its termination handler would take it again.
        let removed = contents.withLock { $0.readers.removeValue(forKey: reader) }
        _ = removed
    }
}
