import StoreModels

/// An app's clock row: business time runs from an anchor at a rate.
///
/// Rate one with equal anchors is the wall clock. Moving the clock, changing its rate or freezing it writes new anchors
/// and the next epoch.
struct AppClock: Hashable, Sendable {
    /// The rate of real time, in the row's unit.
    static let realTime: Int64 = 1_000_000
    /// The bounds of a clock: a century after the latest, years still have four digits.
    static let earliest = Timestamp(milliseconds: 0)
    static let latest = Timestamp(milliseconds: 250_000_000_000_000)

    /// Grows by one with each setting, from 1.
    var epoch: Int64
    /// The wall time at which business time was ``anchorBusiness``.
    var anchorWall: Timestamp
    var anchorBusiness: Timestamp
    /// Business milliseconds per million wall milliseconds, while the clock is not frozen.
    var rateMillionths: Int64
    /// The name of the rate, or nil for a rate set by a number.
    var rateName: SubscriptionRenewalRate?
    var isFrozen = false

    /// Makes a new app's clock, which is the wall clock.
    static func started(at wall: Timestamp) -> AppClock {
        AppClock(epoch: 1, anchorWall: wall, anchorBusiness: wall, rateMillionths: realTime)
    }

    /// Computes business time at a wall time.
    ///
    /// Real time follows the wall clock exactly, also backwards. Its callers' calendar arithmetic allows for that.
    func now(wall: Timestamp) -> Timestamp {
        guard !isFrozen else { return anchorBusiness }
        let elapsed = wall.milliseconds - anchorWall.milliseconds
        let (high, low) = elapsed.multipliedFullWidth(by: rateMillionths)
        // A product beyond 64 bits exceeds the bounds in any case.
        guard high.magnitude < Self.realTime.magnitude / 2 else { return high < 0 ? Self.earliest : Self.latest }
        let scaled = Self.realTime.dividingFullWidth((high, low)).quotient
        let (now, overflows) = anchorBusiness.milliseconds.addingReportingOverflow(scaled)
        guard !overflows else { return scaled < 0 ? Self.earliest : Self.latest }
        return min(max(Timestamp(milliseconds: now), Self.earliest), Self.latest)
    }

    /// Computes the wall time at which the clock reaches an instant, at the earliest `wall`.
    /// - Returns: The wall time, or nil when a frozen clock does not reach the instant.
    func wall(reaching instant: Timestamp, from wall: Timestamp) -> Timestamp? {
        if now(wall: wall) >= instant { return wall }
        guard !isFrozen, rateMillionths > 0 else { return nil }
        let ahead = Int128(instant.milliseconds - anchorBusiness.milliseconds) * Int128(Self.realTime)
        let rate = Int128(rateMillionths)
        // Rounded up: at the millisecond before, the clock is short of the instant.
        guard let at = Int64(exactly: Int128(anchorWall.milliseconds) + (ahead + rate - 1) / rate) else { return nil }
        return Timestamp(milliseconds: max(at, wall.milliseconds + 1))
    }

    /// The rate as it was set, which applies while the clock is not frozen.
    var rate: ClockRate {
        if let rateName { return .named(rateName) }
        return rateMillionths == Self.realTime ? .realTime : .factor(Double(rateMillionths) / Double(Self.realTime))
    }

    /// Returns the clock with another time, rate or motion from this wall time on. Nil keeps a value.
    func set(
        now: Timestamp? = nil, rate: ClockRate? = nil, frozen: Bool? = nil, wall: Timestamp
    ) -> AppClock {
        var next = self
        next.epoch += 1
        (next.anchorBusiness, next.anchorWall) = (now ?? self.now(wall: wall), wall)
        next.isFrozen = frozen ?? isFrozen
        guard let rate else { return next }
        next.rateMillionths = rate.millionths
        if case .named(let name) = rate { next.rateName = name } else { next.rateName = nil }
        return next
    }
}

/// Reads wall time for the clocks of all apps. A test passes its own.
///
/// This service reads the machine's clock only here.
struct BusinessClock: Sendable {
    /// Milliseconds since 1970 by the machine's clock.
    var wall: @Sendable () -> Timestamp = Timestamp.wallClock

    /// Returns an app's business time, from its row.
    func now(_ app: AppClock) -> Timestamp { app.now(wall: wall()) }
}
