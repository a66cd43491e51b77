/// An operator's or a parent's decision on one transaction, by `id`, of any customer.
public struct OperateTransactionRequest: Hashable, Sendable, Codable {
    public var id: String
    /// With a decline: the error the payment fails with; nil is `unknown`.
    public var error: SKErrorCode?
    public init(id: String, error: SKErrorCode? = nil) {
        self.id = id
        self.error = error
    }
}
