import EventLoop
import NIOCore

/// The bytes that connections make the gateway keep, with a bound on their sum. A pure value.
///
/// At the bound the connections that have kept bytes for the longest time give way. The bytes of honest clients are
/// gone within moments, so they are never the oldest.
struct HeldBytes<ID: Hashable> {
    private let max: Int
    private var counts: [ID: (bytes: Int, turn: UInt64)] = [:]
    private var order = CircularBuffer<(id: ID, turn: UInt64)>()
    private var turns: UInt64 = 0
    private(set) var total = 0

    init(max: Int) { self.max = max }

    var isEmpty: Bool { counts.isEmpty }

    /// Sets how much a connection keeps. 0 forgets it, and its next bytes are new ones.
    /// - Returns: The connections to close, the oldest first. They are forgotten.
    mutating func set(_ id: ID, to bytes: Int) -> [ID] {
        let known = counts[id]
        total += bytes - (known?.bytes ?? 0)
        if bytes == 0 {
            counts[id] = nil
        } else if let known {
            counts[id] = (bytes, known.turn)
        } else {
            turns += 1
            counts[id] = (bytes, turns)
            order.append((id, turns))
        }
        var evicted: [ID] = []
        while total > max, let oldest = popOldest() { evicted.append(oldest) }
        // Forgotten entries are dropped when they are most of the order.
        if order.count > 2 * counts.count + 64 {
            order = CircularBuffer(order.filter { counts[$0.id]?.turn == $0.turn })
        }
        return evicted
    }

    private mutating func popOldest() -> ID? {
        while let first = order.popFirst() {
            guard let known = counts[first.id], known.turn == first.turn else { continue }
            counts[first.id] = nil
            total -= known.bytes
            return first.id
        }
        return nil
    }
}

/// The bytes kept for all connections of a gateway, of requests that arrive and of unread responses.
final class ConnectionMemory: Sendable {
    enum Kind { case arriving, unread }

    private struct State {
        var arriving: HeldBytes<ObjectIdentifier>
        var unread: HeldBytes<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Locked<State>

    init(_ limits: ConnectionLimits) {
        state = Locked(
            State(
                arriving: HeldBytes(max: limits.arrivingBytesMax), unread: HeldBytes(max: limits.unreadBytesMax)))
    }

    /// Sets how much a connection keeps, and closes those that give way.
    /// - Returns: The number of closed connections.
    func set(_ kind: Kind, of channel: any Channel, to bytes: Int) -> Int {
        let id = ObjectIdentifier(channel)
        let evicted = state.withLock { state -> [any Channel] in
            state.channels[id] = channel
            let ids = kind == .arriving ? state.arriving.set(id, to: bytes) : state.unread.set(id, to: bytes)
            return ids.compactMap { state.channels[$0] }
        }
        for channel in evicted { channel.close(promise: nil) }
        return evicted.count
    }

    /// Forgets a closed connection.
    func forget(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            guard state.channels.removeValue(forKey: id) != nil else { return }
            _ = state.arriving.set(id, to: 0)
            _ = state.unread.set(id, to: 0)
        }
    }

    /// The sums, for tests and metrics.
    var totals: (arriving: Int, unread: Int) { state.withLock { ($0.arriving.total, $0.unread.total) } }
}
