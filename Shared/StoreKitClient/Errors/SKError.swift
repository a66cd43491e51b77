/// An error of the store, with StoreKit's codes.
///
/// ```swift
/// if (transaction.error as? SKError)?.code != .paymentCancelled { show(transaction.error) }
/// ```
/// `userInfo` carries:
/// - `NSLocalizedDescriptionKey`
/// - `NSLocalizedFailureReasonErrorKey` if the store gives its own reason (`interrupted`, `unfinishedTransactions`)
/// - `NSUnderlyingErrorKey` if there is an underlying error: the number 3532 of a subscription the customer already
///   has, a `URLError`, a ``StoreProblem``
public struct SKError: CustomNSError, Hashable, Sendable {
    /// The error as an `NSError`, in the domain `SKErrorDomain`.
    public let _nsError: NSError

    /// Wraps an `NSError`, as Swift's importer does.
    public init(_nsError error: NSError) { _nsError = error }

    /// Makes an error of the domain `SKErrorDomain`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        _nsError = NSError(domain: SKErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// The domain of every error of this type.
    public static var errorDomain: String { SKErrorDomain }
    /// The error's code. A number without a name here is the code of a newer store.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }
    /// The code's number.
    public var errorCode: Int { _nsError.code }
    /// The values by `NSError` key, as ``SKError`` lists them.
    public var userInfo: [String: Any] { _nsError.userInfo }
    /// The same as `userInfo`.
    public var errorUserInfo: [String: Any] { userInfo }

    // `localizedDescription` is that of `NSError`. Conforming to LocalizedError would hide it from apps.
    /// The store's sentence, or nil without one.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
    /// The store's reason, such as `interrupted`, or nil without one.
    public var failureReason: String? { userInfo[NSLocalizedFailureReasonErrorKey] as? String }
    /// The underlying error, or nil without one.
    public var underlying: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }

    /// Compares domain, code and description, because values of `userInfo` need not be comparable.
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
