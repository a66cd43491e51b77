import Foundation

/// What went wrong at the store, with StoreKit's codes.
///
/// ```swift
/// if (transaction.error as? SKError)?.code != .paymentCancelled { show(transaction.error) }
/// ```
/// `userInfo` carries `NSLocalizedDescriptionKey`; `NSLocalizedFailureReasonErrorKey` where the store names a reason of
/// its own (`interrupted`, `unfinishedTransactions`); `NSUnderlyingErrorKey` where there is an error beneath: the number
/// 3532 of a subscription that is held already, a `URLError`, a ``StoreProblem``.
public struct SKError: CustomNSError, LocalizedError, Sendable {
    public var code: Code
    public var userInfo: [String: any Sendable]

    public init(_ code: Code, userInfo: [String: any Sendable] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    public static var errorDomain: String { SKErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { userInfo }

    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
    public var failureReason: String? { userInfo[NSLocalizedFailureReasonErrorKey] as? String }
    /// The error beneath, if there is one.
    public var underlying: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }
}
