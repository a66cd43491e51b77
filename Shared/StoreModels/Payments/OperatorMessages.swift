/// An operator's decision on one transaction of any customer, by `id`.
public struct OperateTransactionRequest: Hashable, Sendable, Codable {
    /// As ``PaymentTransaction/id``, of any customer.
    public var id: String
    /// The error a declined payment fails with; nil is `unknown`.
    public var error: SKErrorCode?
    public init(id: String, error: SKErrorCode? = nil) {
        self.id = id
        self.error = error
    }
}
