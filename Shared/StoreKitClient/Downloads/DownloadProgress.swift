/// How much of a content has come, and how long the rest will take at the speed so far. Pure: time is passed in.
struct DownloadProgress: Equatable, Sendable {
    let expected: Int64
    private(set) var received: Int64
    /// What had come, and when, as the transfer began; nil while none runs.
    private var start: (received: Int64, at: Duration)?
    private var last = Duration.zero

    init(expected: Int64, received: Int64 = 0) {
        self.expected = expected
        self.received = received
    }

    /// A transfer begins, with what an earlier one has left.
    mutating func begin(received: Int64, at now: Duration) {
        self.received = received
        start = (received, now)
        last = now
    }

    mutating func receive(_ received: Int64, at now: Duration) {
        self.received = received
        last = now
    }

    /// The transfer has stopped.
    mutating func stop() { start = nil }

    /// 0…1.
    var fraction: Float {
        guard expected > 0 else { return 1 }
        return Float(min(1, max(0, Double(received) / Double(expected))))
    }

    /// Seconds; nil when nothing is known.
    var secondsRemaining: Double? {
        if received >= expected { return 0 }
        guard let start, received > start.received, last > start.at else { return nil }
        let secondsPerByte = (last - start.at) / .seconds(1) / Double(received - start.received)
        return secondsPerByte * Double(expected - received)
    }

    static func == (left: DownloadProgress, right: DownloadProgress) -> Bool {
        left.expected == right.expected && left.received == right.received && left.last == right.last
            && left.start?.received == right.start?.received && left.start?.at == right.start?.at
    }
}
