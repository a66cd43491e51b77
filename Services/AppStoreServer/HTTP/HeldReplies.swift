import BusService
import EventLoop
import StoreModels

/// The rests of bodies that did not fit into a reply, until the gateway has read them.
///
/// A rest lives five seconds. Beyond the bounds the oldest goes first, and its client repeats the request.
final class HeldReplies: Sendable {
    /// Bytes in one part, so that the message stays below 512 KiB in Base64.
    static let partBytes = 256 << 10
    /// Maximum number of bytes of all rests: some twenty of the largest responses.
    static let bytesMax = 64 << 20
    /// How long a rest is kept. The gateway reads it at once.
    static let lifetime = Duration.seconds(5)

    private struct Held {
        var identifier: String
        var bytes: ArraySlice<UInt8>
        var end: ContinuousClock.Instant
    }

    private let held = Locked<[Held]>([])
    private let instance: String
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter instance: The instance's name on the bus.
    init(instance: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.instance = instance
        self.now = now
    }

    /// Cuts a body into the part that fits, and keeps the rest.
    func cut(_ bytes: [UInt8]) -> (data: HTTPBytes, rest: HTTPExchangeReply.Rest?) {
        let (first, rest) = (bytes.prefix(Self.partBytes), bytes.dropFirst(Self.partBytes))
        guard !rest.isEmpty else { return (HTTPBytes(bytes), nil) }
        let identifier = RandomIdentifier.hex(digits: 24)
        let now = now()
        held.withLock { held in
            held.removeAll { $0.end <= now }
            held.append(Held(identifier: identifier, bytes: rest, end: now + Self.lifetime))
            while held.count > 1, held.reduce(0, { $0 + $1.bytes.count }) > Self.bytesMax { held.removeFirst() }
        }
        return (
            HTTPBytes(part: first),
            HTTPExchangeReply.Rest(instance: instance, identifier: identifier, count: rest.count)
        )
    }

    /// Reads the part at an offset. The last one ends the rest.
    /// - Throws: `notFound` for a rest that has been given up.
    func part(_ request: HTTPRestRequest) throws(StoreError) -> HTTPRestReply {
        let now = now()
        let part = held.withLock { held -> ArraySlice<UInt8>? in
            held.removeAll { $0.end <= now }
            guard let index = held.firstIndex(where: { $0.identifier.isExactly(request.identifier) }),
                (0..<held[index].bytes.count).contains(request.offset)
            else { return nil }
            let left = held[index].bytes.dropFirst(request.offset)
            if left.count <= Self.partBytes { held.remove(at: index) }
            return left.prefix(Self.partBytes)
        }
        guard let part else { throw .notFound("rest of a response; repeat the request") }
        return HTTPRestReply(data: HTTPBytes(part: part))
    }
}
