/// The higher price of a subscription's next renewal, and the subscriber's consent:
///
/// ```json
/// {"status":"pending","price":{"amount":"12.99","currency":"USD"},"formerPrice":{"amount":"9.99","currency":"USD"}}
/// ```
public struct PriceIncrease: Hashable, Sendable, Codable {
    /// The subscriber's answer to the higher price.
    public enum Status: String, CaseIterable, Sendable, Codable {
        /// The subscriber was asked, and has not answered.
        case pending
        case agreed
        case declined
    }

    /// `declined` lets the subscription expire at the next renewal.
    public var status: Status
    /// The next renewal's price, higher than `formerPrice`.
    public var price: Money
    /// The last price the subscriber has agreed to.
    public var formerPrice: Money
}
