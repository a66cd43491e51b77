import StoreModels

/// Decides when a declined renewal is tried again.
///
/// Apple tries for up to 60 days and does not say when; the days are our choice. Under a tester's rate they shrink in
/// proportion.
struct BillingRetryPolicy: Hashable, Sendable {
    /// Days after the failure on which the processor is asked again; the last one is the end.
    static let days: [Int64] = [1, 2, 3, 5, 8, 13, 21, 34, 45, 60]

    /// When the charge was first declined.
    let since: Timestamp
    /// How long it is retried, in milliseconds.
    let length: Int64

    /// When the subscription expires, unless it has been charged.
    var end: Timestamp { Timestamp(milliseconds: since.milliseconds + length) }

    /// Returns the first retry at or after an instant.
    /// - Returns: Nil when no retry is left.
    func next(notBefore instant: Timestamp) -> Timestamp? {
        Self.days.lazy.map { day in
            Timestamp(milliseconds: since.milliseconds + length * day / (Self.days.last ?? day))
        }.first { $0 >= instant }
    }

    /// Returns the first retry after an instant.
    /// - Returns: Nil when no retry is left.
    func next(after instant: Timestamp) -> Timestamp? {
        next(notBefore: Timestamp(milliseconds: instant.milliseconds + 1))
    }
}
