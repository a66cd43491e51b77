import StoreModels

/// A transaction as PaymentQueue presents it. The gateway reads two members and forwards the rest unchanged.
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

    /// Whether a device may see it, as `PaymentTransaction.isVisible(to:)`. Some states are visible to the origin
    /// device only.
    func isVisible(to deviceId: String) -> Bool { transactionState.isVisible(to: deviceId, origin: originDeviceId) }
}
