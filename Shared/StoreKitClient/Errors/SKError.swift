/// An error of the store, with StoreKit's codes.
///
/// ```swift
/// if (transaction.error as? SKError)?.code != .paymentCancelled { show(transaction.error) }
/// ```
/// `userInfo` carries `NSLocalizedDescriptionKey`; `NSLocalizedFailureReasonErrorKey` where the store gives its own
/// reason (`interrupted`, `unfinishedTransactions`); `NSUnderlyingErrorKey` where there is an underlying error: the
/// number 3532 of a subscription the customer already has, a `URLError`, a ``StoreProblem``.
public struct SKError: CustomNSError, Hashable, Sendable {
    public let _nsError: NSError

    public init(_nsError error: NSError) { _nsError = error }

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: SKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    public static var errorDomain: String { SKErrorDomain }
    /// The error's code. Every number is a code; a number without a name here belongs to a newer store.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }
    public var errorCode: Int { _nsError.code }
    public var userInfo: [String: Any] { _nsError.userInfo }
    public var errorUserInfo: [String: Any] { userInfo }

    // `localizedDescription` is `NSError`'s. Conforming to LocalizedError would forbid it to apps.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
    public var failureReason: String? { userInfo[NSLocalizedFailureReasonErrorKey] as? String }
    /// The underlying error, if any.
    public var underlying: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }

    /// Equal by domain, code and description: values of `userInfo` need not be comparable.
    public static func == (left: SKError, right: SKError) -> Bool {
        left._nsError.domain == right._nsError.domain && left.errorCode == right.errorCode
            && left.errorDescription == right.errorDescription
    }

    // Not the NSError's own hash, which never returns in Foundation on Linux.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(_nsError.domain)
        hasher.combine(errorCode)
    }
}

/// The domain of the errors StoreKit reports through the observer.
public let SKErrorDomain = "SKErrorDomain"
