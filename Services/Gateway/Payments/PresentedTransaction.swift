import StoreModels

/// A transaction as PaymentQueue presents it. The gateway looks at whose it is and hands the rest on as it came.
struct PresentedTransaction: Hashable, Sendable, Codable {
    let json: RawJSON
    private let transactionState: TransactionState
    private let originDeviceId: String

    private enum CodingKeys: String, CodingKey { case transactionState, originDeviceId }

    init(from decoder: any Decoder) throws {
        json = try RawJSON(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transactionState = try container.decode(TransactionState.self, forKey: .transactionState)
        originDeviceId = try container.decode(String.self, forKey: .originDeviceId)
    }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// As `PaymentTransaction.isVisible(to:)`: what belongs to another device of the customer is told to that one only.
    func isVisible(to deviceId: String) -> Bool { transactionState.isVisible(to: deviceId, origin: originDeviceId) }
}
