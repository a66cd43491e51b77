/// Why a transaction failed, as StoreKit's observer is told it:
///
/// ```json
/// {"domain":"SKErrorDomain","code":3,"name":"paymentInvalid","localizedDescription":"…"}
/// ```
public struct TransactionError: Hashable, Sendable, Codable {
    public var domain: String
    public var code: Int
    public var name: String
    public var localizedDescription: String
    /// Ours, where StoreKit's code is only "unknown": `unfinishedTransactions`.
    public var reason: String?
    /// The number of the error beneath, where StoreKit has one: 3532, already subscribed.
    public var underlying: Int?

    public init(_ code: SKErrorCode, _ localizedDescription: String, reason: String? = nil, underlying: Int? = nil) {
        self.domain = "SKErrorDomain"
        self.code = code.rawValue
        self.name = code.name
        self.localizedDescription = localizedDescription
        self.reason = reason
        self.underlying = underlying
    }
}
