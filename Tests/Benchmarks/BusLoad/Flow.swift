/// One publisher as fast as the subscribers get it, over 64 subjects; each subscriber has all of them.
///
/// At most a mebibyte is under way, so nothing is shed for slowness, and in the end every message must have come to
/// every subscriber.
final class Flow {
    private static let windowBytes = 1 << 20
    private static let chunkBytes = 1 << 16

    private let publisher: BenchConnection
    private let subscribers: [BenchConnection]
    private let server: ServerProcess
    private let batch: [UInt8]
    private let frameBytes: Int
    private var sentBytes = 0
    private var received: [Int]

    init(_ wire: Wire, port: Int, server: ServerProcess, bodyBytes: Int, fanOut: Int) throws(LoadError) {
        self.server = server
        var subscribers: [BenchConnection] = []
        for number in 0..<fanOut {
            let link = try BenchConnection(wire, port: port, name: "subscriber\(number)")
            for (sid, subject) in BusLoad.subjects.enumerated() {
                try link.send(wire.subscribe(sid: sid + 1, subject: subject))
            }
            try link.sync()
            subscribers.append(link)
        }
        self.subscribers = subscribers
        publisher = try BenchConnection(wire, port: port, name: "publisher")
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: bodyBytes)
        let frames = BusLoad.subjects.map { wire.publish(subject: $0, body: body) }
        frameBytes = frames[0].count
        let repeats = Self.chunkBytes / (frameBytes * frames.count) + 3
        batch = Array((0..<repeats).map { _ in frames.joined() }.joined())
        received = Array(repeating: 0, count: fanOut)
    }

    /// - Returns: `{"count":…,"seconds":…,"cpu":…,"load":…}`, `count` being deliveries.
    func run(seconds: Double) throws(LoadError) -> String {
        try pump(seconds: 0.5)
        let before = (received.reduce(0, +), clockSeconds(), server.cpuSeconds, ownCPUSeconds())
        try pump(seconds: seconds)
        return "{\"count\":\(received.reduce(0, +) - before.0),\"seconds\":\(clockSeconds() - before.1),"
            + "\"cpu\":\(server.cpuSeconds - before.2),\"load\":\(ownCPUSeconds() - before.3)}"
    }

    /// Publishes for a while and waits until everything has arrived.
    private func pump(seconds: Double) throws(LoadError) {
        let end = clockSeconds() + seconds
        while true {
            let isOver = clockSeconds() >= end
            let wanted = isOver ? restOfFrame : room
            let isBlocked = wanted > 0 ? try publish(wanted) : false
            if isOver, wanted == 0, underWay == 0 { break }
            if wanted > 0, !isBlocked, room > 0 { continue }
            for link in try wait(for: [publisher] + subscribers, output: isBlocked) {
                guard let index = subscribers.firstIndex(where: { $0 === link }) else {
                    // A ping must not be answered in the middle of a frame.
                    if sentBytes % frameBytes == 0 { try link.receive { _, _ in } }
                    continue
                }
                var count = 0
                try link.receive { _, _ in count += 1 }
                received[index] += count
            }
        }
        guard received.allSatisfy({ $0 * frameBytes == sentBytes }) else {
            throw LoadError("\(sentBytes / frameBytes) messages were published, \(received) arrived")
        }
    }

    /// Bytes published that the slowest subscriber has not got yet.
    private var underWay: Int { sentBytes - (received.min() ?? 0) * frameBytes }

    /// How much may be sent now: nothing, or enough to be worth a call, up to the end of a frame.
    private var room: Int {
        if Self.windowBytes - underWay < Self.chunkBytes { return 0 }
        return restOfFrame + Self.chunkBytes / frameBytes * frameBytes
    }

    private var restOfFrame: Int { (frameBytes - sentBytes % frameBytes) % frameBytes }

    /// Sends the next bytes of the endless batch; true when the kernel takes no more now.
    private func publish(_ wanted: Int) throws(LoadError) -> Bool {
        let cycle = frameBytes * BusLoad.subjects.count
        let offset = sentBytes % cycle
        var sent = 0
        var failure: LoadError?
        batch.withUnsafeBytes { bytes in
            do throws(LoadError) {
                sent = try publisher.sendSome(UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + wanted)]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        sentBytes += sent
        return sent < wanted
    }
}
