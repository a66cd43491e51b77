import StoreModels

/// When a renewal that was declined is tried again. Apple tries for up to 60 days and does not say when; the days are
/// ours. Under a tester's rate they shrink with the whole.
struct BillingRetryPolicy: Hashable, Sendable {
    /// Days behind the failure on which the processor is asked again; the last one is the end.
    static let days: [Int64] = [1, 2, 3, 5, 8, 13, 21, 34, 45, 60]

    /// When the charge was declined first.
    let since: Timestamp
    /// How long it is tried, in milliseconds.
    let length: Int64

    /// The subscription expires then, unless it has been charged.
    var end: Timestamp { Timestamp(milliseconds: since.milliseconds + length) }

    /// The first try at or behind an instant.
    /// - Returns: Nil when no try is left.
    func next(notBefore instant: Timestamp) -> Timestamp? {
        Self.days.lazy.map { day in
            Timestamp(milliseconds: since.milliseconds + length * day / (Self.days.last ?? day))
        }.first { $0 >= instant }
    }

    /// The first try behind an instant.
    func next(after instant: Timestamp) -> Timestamp? {
        next(notBefore: Timestamp(milliseconds: instant.milliseconds + 1))
    }
}
