/// The progress and remaining time of one download. The type is pure, and the caller passes the time in.
struct DownloadProgress: Equatable, Sendable {
    /// The size of the content in bytes.
    let expected: Int64
    /// The bytes received so far, earlier transfers included.
    private(set) var received: Int64
    /// The received bytes and the time at the beginning of the transfer. Nil without a transfer.
    private var start: (received: Int64, at: Duration)?
    private var last = Duration.zero

    init(expected: Int64, received: Int64 = 0) {
        self.expected = expected
        self.received = received
    }

    /// Begins a transfer after the bytes of an earlier one.
    mutating func begin(received: Int64, at now: Duration) {
        self.received = received
        start = (received, now)
        last = now
    }

    mutating func receive(_ received: Int64, at now: Duration) {
        self.received = received
        last = now
    }

    /// Ends the transfer, so that the remaining time becomes unknown.
    mutating func stop() { start = nil }

    /// The received fraction, 0…1. It is 1 for empty content.
    var fraction: Float {
        guard expected > 0 else { return 1 }
        return Float(min(1, max(0, Double(received) / Double(expected))))
    }

    /// The remaining seconds at the speed so far. Nil without a running transfer or a received byte.
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
