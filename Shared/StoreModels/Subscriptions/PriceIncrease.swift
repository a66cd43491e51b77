/// The higher price of a subscription's next renewal, and the subscriber's consent:
///
/// ```json
/// {"status":"pending","price":{"amount":"12.99","currency":"USD"},"formerPrice":{"amount":"9.99","currency":"USD"}}
/// ```
public struct PriceIncrease: Hashable, Sendable, Codable {
    public enum Status: String, CaseIterable, Sendable, Codable {
        /// The subscriber was asked, and has not answered.
        case pending
        case agreed
        case declined
    }

    public var status: Status
    public var price: Money
    public var formerPrice: Money
    public init(status: Status, price: Money, formerPrice: Money) {
        self.status = status
        self.price = price
        self.formerPrice = formerPrice
    }
}
