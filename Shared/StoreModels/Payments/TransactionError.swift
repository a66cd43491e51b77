/// The error of a failed transaction, as StoreKit's observer receives it:
///
/// ```json
/// {"domain":"SKErrorDomain","code":3,"name":"paymentInvalid","localizedDescription":"…"}
/// ```
public struct TransactionError: Hashable, Sendable, Codable {
    public var domain: String
    public var code: Int
    public var name: String
    public var localizedDescription: String
    /// Storebus's reason where StoreKit's code is only "unknown": `unfinishedTransactions`.
    public var reason: String?
    /// The number of StoreKit's underlying error, if any: 3532, already subscribed.
    public var underlying: Int?
    /// The name of the tester's setting that caused it: `sheet`, `processor`, `simulatedErrors.purchase`.
    /// `unfinishedLimit` is the app's. Absent where a person or the store's own rules caused it.
    public var setting: String?

    public init(_ code: SKErrorCode, _ localizedDescription: String, reason: String? = nil, underlying: Int? = nil) {
        self.domain = "SKErrorDomain"
        self.code = code.rawValue
        self.name = code.name
        self.localizedDescription = localizedDescription
        self.reason = reason
        self.underlying = underlying
    }

    /// The same error, caused by a setting.
    public func dueTo(_ setting: String) -> TransactionError {
        var error = self
        error.setting = setting
        return error
    }
}
