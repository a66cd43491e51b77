/// Why a transaction failed, as StoreKit's observer receives it:
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
    /// What made it fail, where a tester's setting did, by its name: `sheet`, `processor`, `simulatedErrors.purchase`;
    /// `unfinishedLimit` is the app's. Absent where a person or the store's own rules did.
    public var setting: String?

    public init(_ code: SKErrorCode, _ localizedDescription: String, reason: String? = nil, underlying: Int? = nil) {
        self.domain = "SKErrorDomain"
        self.code = code.rawValue
        self.name = code.name
        self.localizedDescription = localizedDescription
        self.reason = reason
        self.underlying = underlying
    }

    /// The same, caused by a setting.
    public func dueTo(_ setting: String) -> TransactionError {
        var error = self
        error.setting = setting
        return error
    }
}
