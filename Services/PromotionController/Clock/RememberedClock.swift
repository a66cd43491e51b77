import StoreModels

/// The last known business clock of an app, used while PaymentQueue is away.
struct RememberedClock: Hashable, Sendable {
    /// PaymentQueue's epoch, which grows with each setting and each move.
    var epoch: Int64
    /// The wall time at which business time was ``anchorBusiness``.
    var anchorWall: Timestamp
    var anchorBusiness: Timestamp
    /// Business milliseconds per million wall milliseconds, while the clock is not frozen.
    var rateMillionths: Int64
    var isFrozen: Bool

    init(epoch: Int64, anchorWall: Timestamp, anchorBusiness: Timestamp, rateMillionths: Int64, isFrozen: Bool) {
        self.epoch = epoch
        self.anchorWall = anchorWall
        self.anchorBusiness = anchorBusiness
        self.rateMillionths = rateMillionths
        self.isFrozen = isFrozen
    }

    /// Creates a clock from PaymentQueue's reply.
    /// - Parameter wall: When the reply was read.
    init(_ state: AppClockState, readAt wall: Timestamp) {
        self.init(
            epoch: state.epoch, anchorWall: wall, anchorBusiness: state.now, rateMillionths: state.rate.millionths,
            isFrozen: state.frozen)
    }

    /// Computes the clock's time, provided that it was not moved since.
    func now(wall: Timestamp) -> Timestamp {
        guard !isFrozen else { return anchorBusiness }
        let elapsed = Double(wall.milliseconds - anchorWall.milliseconds) * Double(rateMillionths) / 1_000_000
        // A Double is exact for the first 285 000 years.
        let business = Double(anchorBusiness.milliseconds) + elapsed
        return Timestamp(milliseconds: Int64(min(max(business, 0), 250_000_000_000_000).rounded()))
    }
}
