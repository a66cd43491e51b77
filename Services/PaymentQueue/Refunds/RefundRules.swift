import StoreModels

/// How much money goes back, without I/O. Amounts are minor units.
enum RefundRules {
    /// What a purchase has still to give back, after what was given back already.
    static func left(of paid: Int64, refunded: Int64) -> Int64 { max(0, paid - refunded) }

    /// The part of a period's price for the time after `now`. It is rounded down, so a refund never exceeds the payment
    /// (P10). Before the period begins it is the whole price, after its end it is nothing.
    static func unused(of paid: Int64, start: Timestamp, end: Timestamp, now: Timestamp) -> Int64 {
        let length = end.milliseconds - start.milliseconds
        let remaining = min(end.milliseconds - now.milliseconds, length)
        guard paid > 0, length > 0, remaining > 0 else { return 0 }
        // A large price times a year of milliseconds has more than 64 bits.
        return length.dividingFullWidth(paid.multipliedFullWidth(by: remaining)).quotient
    }
}
