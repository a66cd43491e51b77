/// An error a service answers with. On the bus it is the body of an error reply (`docs/PROTOCOL.md`), inside
/// `{"error":…}`:
///
/// ```json
/// {"status":409,"code":"transactionNotFinishable","message":"…","retryable":false,"retryAfterMs":null,"details":{}}
/// ```
public struct StoreError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The HTTP status the gateway turns this into.
    public var status: Int
    /// The contract with clients. `message` may change.
    public var code: StoreErrorCode
    /// Tells the caller the fault and its place. It never contains a receipt, token or payload.
    public var message: String
    /// Whether the caller may send the same request with the same key again.
    public var retryable: Bool
    /// The wait before that, in milliseconds, or nil if it is unknown.
    @Nullable public var retryAfterMs: Int?
    /// Details for programs, such as `path` or `problems`.
    public var details: [String: JSONValue]

    /// Creates an error with the status and `retryable` of its code.
    public init(
        _ code: StoreErrorCode, _ message: String, retryAfterMs: Int? = nil, details: [String: JSONValue] = [:]
    ) {
        self.status = code.status
        self.code = code
        self.message = message
        self.retryable = code.isRetryable
        self.retryAfterMs = retryAfterMs
        self.details = details
    }

    /// Creates the refusal of a request because of one of its members.
    /// - Parameters:
    ///   - member: The member's path below `$.`, such as `past.price`.
    ///   - message: The whole sentence.
    package static func requestInvalid(_ member: String, _ message: String) -> StoreError {
        StoreError(.requestInvalid, message, details: ["path": .string("$.\(member)")])
    }

    /// Code and message for logs, without `details`.
    public var description: String { "\(code): \(message)" }
}
