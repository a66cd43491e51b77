import StoreModels

/// An app's clock row: business time runs from an anchor at a rate. Rate one with equal anchors is the wall clock;
/// rate zero is frozen. Moving or speeding it up writes new anchors and the next epoch.
package struct AppClock: Hashable, Sendable {
    /// Rate 1, in the row's unit.
    package static let realTime: Int64 = 1_000_000

    /// Grows by one with each setting.
    package var epoch: Int64
    package var anchorWall: Timestamp
    package var anchorBusiness: Timestamp
    /// Business milliseconds in a million wall milliseconds.
    package var rateMillionths: Int64

    package init(epoch: Int64, anchorWall: Timestamp, anchorBusiness: Timestamp, rateMillionths: Int64) {
        self.epoch = epoch
        self.anchorWall = anchorWall
        self.anchorBusiness = anchorBusiness
        self.rateMillionths = rateMillionths
    }

    /// A new app's clock: the wall clock.
    package static func started(at wall: Timestamp) -> AppClock {
        AppClock(epoch: 1, anchorWall: wall, anchorBusiness: wall, rateMillionths: realTime)
    }

    /// Real time follows the wall clock exactly, backwards too; the calendar arithmetic above it copes.
    package func now(wall: Timestamp) -> Timestamp {
        let elapsed = wall.milliseconds - anchorWall.milliseconds
        let (high, low) = elapsed.multipliedFullWidth(by: rateMillionths)
        let scaled = Self.realTime.dividingFullWidth((high, low)).quotient
        return Timestamp(milliseconds: anchorBusiness.milliseconds + scaled)
    }
}
