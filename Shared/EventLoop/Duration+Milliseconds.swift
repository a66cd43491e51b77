extension Duration {
    /// Milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// Milliseconds for libuv's timers, rounded up, and 0 for negative durations. Capped far below where libuv's
    /// arithmetic would overflow.
    var timerMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let fraction = UInt64(attoseconds) / 1_000_000_000_000_000 + (attoseconds % 1_000_000_000_000_000 == 0 ? 0 : 1)
        return UInt64(min(seconds, 1 << 40)) * 1000 + fraction
    }
}
