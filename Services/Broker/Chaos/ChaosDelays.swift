/// The messages held by a fault, with their due times.
struct ChaosDelays {
    struct Held {
        let subscription: ClientSubscription
        let frame: [UInt8]
        let due: Duration
        /// Whether the next message for the same connection releases it.
        let followsNext: Bool
    }

    /// Maximum number of held bytes. Further messages are not held.
    static let bytesMax = 64 << 20

    private var held: [Held] = []
    private var bytes = 0

    var isEmpty: Bool { held.isEmpty }

    /// Holds a message. False when it does not fit.
    mutating func hold(_ message: Held) -> Bool {
        guard bytes + message.frame.count <= Self.bytesMax else { return false }
        bytes += message.frame.count
        held.append(message)
        return true
    }

    /// Removes and returns due messages, the earliest first. Messages due together keep the order in which they were
    /// held.
    mutating func takeDue(now: Duration) -> [Held] {
        take { $0.due <= now }.enumerated()
            .sorted { ($0.element.due, $0.offset) < ($1.element.due, $1.offset) }.map(\.element)
    }

    /// Removes and returns messages that wait for another message to the connection.
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
