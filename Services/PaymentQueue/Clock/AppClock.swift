import StoreModels

/// An app's clock row: business time runs from an anchor at a rate. Rate one with equal anchors is the wall clock.
/// Moving it, speeding it up or stopping it writes new anchors and the next epoch.
struct AppClock: Hashable, Sendable {
    /// Rate 1, in the row's unit.
    static let realTime: Int64 = 1_000_000
    /// The bounds of a clock: a century after the latest, years still have four digits.
    static let earliest = Timestamp(milliseconds: 0)
    static let latest = Timestamp(milliseconds: 250_000_000_000_000)

    /// Grows by one with each setting.
    var epoch: Int64
    var anchorWall: Timestamp
    var anchorBusiness: Timestamp
    /// Business milliseconds in a million wall milliseconds, when it is not frozen.
    var rateMillionths: Int64
    /// The name the rate was given by, if it was.
    var rateName: SubscriptionRenewalRate?
    var isFrozen = false

    /// A new app's clock: the wall clock.
    static func started(at wall: Timestamp) -> AppClock {
        AppClock(epoch: 1, anchorWall: wall, anchorBusiness: wall, rateMillionths: realTime)
    }

    /// Real time follows the wall clock exactly, backwards too; the calendar arithmetic above it copes.
    func now(wall: Timestamp) -> Timestamp {
        guard !isFrozen else { return anchorBusiness }
        let elapsed = wall.milliseconds - anchorWall.milliseconds
        let (high, low) = elapsed.multipliedFullWidth(by: rateMillionths)
        // What leaves 64 bits lies behind the latest instant anyhow.
        guard high.magnitude < Self.realTime.magnitude / 2 else { return high < 0 ? Self.earliest : Self.latest }
        let scaled = Self.realTime.dividingFullWidth((high, low)).quotient
        let (now, overflows) = anchorBusiness.milliseconds.addingReportingOverflow(scaled)
        guard !overflows else { return scaled < 0 ? Self.earliest : Self.latest }
        return min(max(Timestamp(milliseconds: now), Self.earliest), Self.latest)
    }

    /// How fast it runs when it is not frozen, as it was set.
    var rate: ClockRate {
        if let rateName { return .named(rateName) }
        return rateMillionths == Self.realTime ? .realTime : .factor(Double(rateMillionths) / Double(Self.realTime))
    }

    /// The clock with another time, rate or motion from this moment of wall time on; what is nil stays.
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

/// Where the business clocks of all apps get the wall clock from; the only door to it in this service, so that a test
/// can hand in its own.
struct BusinessClock: Sendable {
    /// Milliseconds since 1970 as the machine tells them.
    var wall: @Sendable () -> Timestamp = Timestamp.wallClock

    /// The app's own time, by its row.
    func now(_ app: AppClock) -> Timestamp { app.now(wall: wall()) }
}
