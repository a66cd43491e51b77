/// Messages that a fault holds back, and when each is due.
struct ChaosDelays {
    struct Held {
        let subscription: Subscription
        let frame: [UInt8]
        let due: Duration
        /// Whether the next message for the same connection takes it along.
        let followsNext: Bool
    }

    /// Bytes that are held at most; what comes beyond is not held.
    static let bytesMax = 64 << 20

    private var held: [Held] = []
    private var bytes = 0

    var isEmpty: Bool { held.isEmpty }

    /// Keeps a message; false when there is no room for it.
    mutating func hold(_ message: Held) -> Bool {
        guard bytes + message.frame.count <= Self.bytesMax else { return false }
        bytes += message.frame.count
        held.append(message)
        return true
    }

    /// Takes out what is due, the earliest first, and what was held first of those that are due together.
    mutating func takeDue(now: Duration) -> [Held] {
        take { $0.due <= now }.enumerated()
            .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    }

    /// Takes out what waits for another message to the connection.
    mutating func takeFollowers(of connection: BrokerConnection) -> [Held] {
        take { $0.followsNext && $0.subscription.connection === connection }
    }

    private mutating func take(_ isWanted: (Held) -> Bool) -> [Held] {
        let wanted = held.filter(isWanted)
        if wanted.isEmpty { return [] }
        held.removeAll(where: isWanted)
        bytes -= wanted.reduce(0) { $0 + $1.frame.count }
        return wanted
    }
}
