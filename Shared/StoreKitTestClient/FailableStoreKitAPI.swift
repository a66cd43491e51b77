/// An error that a test sets for an API.
public protocol SKTestFailure: Equatable, Sendable {}

/// An API that a test can let fail: `.loadProducts`, `.purchase` and others.
public protocol FailableStoreKitAPI: Sendable {
    /// The errors that the API can fail with.
    associatedtype Failure: SKTestFailure
}

/// The errors that a test can set, by the API.
public enum SKTestFailures: Sendable {
    /// The errors of `AppStore.sync()`.
    public enum AppStoreSync: SKTestFailure { case generic(StoreKitError) }
    /// The errors of `AppTransaction.shared` and `refresh()`.
    public enum AppTransaction: SKTestFailure { case generic(StoreKitError) }
    /// The errors of requests for products.
    public enum LoadProducts: SKTestFailure { case generic(StoreKitError) }
    /// The errors of `AppStore.showManageSubscriptions(in:)`.
    public enum ManageSubscriptions: SKTestFailure { case generic(StoreKitError) }
    /// The errors of `AppStore.presentOfferCodeRedeemSheet(in:)`.
    public enum OfferCodeRedeem: SKTestFailure { case generic(StoreKitError) }
    /// The errors of `Product.purchase(options:)`.
    public enum Purchase: SKTestFailure {
        case generic(StoreKitError)
        case purchase(Product.PurchaseError)
    }
    /// The errors of `Transaction.beginRefundRequest(in:)`.
    public enum RefundRequest: SKTestFailure {
        case generic(StoreKitError)
        case refundRequest(Transaction.RefundRequestError)
    }
    /// The errors of a subscription's `status`.
    public enum SubscriptionStatus: SKTestFailure { case generic(StoreKitError) }
    /// The outcome of verification on the device.
    public enum Verification: SKTestFailure { case verification(VerificationResult<Any>.VerificationError) }
}

/// A failure with the error that StoreKit's call has.
protocol SimulatedFailure {
    var error: any Error { get }
}

extension SimulatedFailure {
    fileprivate func isEqual(to other: Self) -> Bool {
        // Errors of StoreKit have others beneath that need not be comparable.
        let (left, right) = (error as NSError, other.error as NSError)
        return left.domain == right.domain && left.code == right.code && "\(error)" == "\(other.error)"
    }
}

extension SKTestFailures.AppStoreSync: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.AppTransaction: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.LoadProducts: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.ManageSubscriptions: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.OfferCodeRedeem: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.Purchase: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        case .purchase(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.RefundRequest: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        case .refundRequest(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.SubscriptionStatus: SimulatedFailure {
    var error: any Error {
        switch self {
        case .generic(let error): error
        }
    }
    public static func == (left: Self, right: Self) -> Bool { left.isEqual(to: right) }
}

extension SKTestFailures.Verification: SimulatedFailure {
    var error: any Error {
        switch self {
        case .verification(let error): error
        }
    }
}

/// An API with its place in the client.
protocol ClientAPI {
    static var call: FailableCall { get }
}

/// `AppStore.sync()`
public struct StoreKitAppStoreSyncAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.AppStoreSync
    static let call = FailableCall.appStoreSync
    public init() {}
}

/// `AppTransaction.shared` and `refresh()`
public struct StoreKitAppTransactionAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.AppTransaction
    static let call = FailableCall.appTransaction
    public init() {}
}

/// `Product.products(for:)` and `SKProductsRequest`
public struct StoreKitLoadProductsAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.LoadProducts
    static let call = FailableCall.loadProducts
    public init() {}
}

/// `AppStore.showManageSubscriptions(in:)`
public struct StoreKitManageSubscriptionsAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.ManageSubscriptions
    static let call = FailableCall.manageSubscriptions
    public init() {}
}

/// `AppStore.presentOfferCodeRedeemSheet(in:)`
public struct StoreKitOfferCodeRedeemAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.OfferCodeRedeem
    static let call = FailableCall.offerCodeRedeem
    public init() {}
}

/// `Product.purchase(options:)`
public struct StoreKitPurchaseAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.Purchase
    static let call = FailableCall.purchase
    public init() {}
}

/// `Transaction.beginRefundRequest(in:)`
public struct StoreKitRefundRequestAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.RefundRequest
    static let call = FailableCall.refundRequest
    public init() {}
}

/// `Product.SubscriptionInfo.status`
public struct StoreKitSubscriptionStatusAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.SubscriptionStatus
    static let call = FailableCall.subscriptionStatus
    public init() {}
}

/// Verification of signed values on the device
public struct StoreKitVerificationAPI: FailableStoreKitAPI, ClientAPI {
    public typealias Failure = SKTestFailures.Verification
    static let call = FailableCall.verification
    public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitAppStoreSyncAPI {
    public static var appStoreSync: StoreKitAppStoreSyncAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitAppTransactionAPI {
    public static var appTransaction: StoreKitAppTransactionAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitLoadProductsAPI {
    public static var loadProducts: StoreKitLoadProductsAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitManageSubscriptionsAPI {
    public static var manageSubscriptions: StoreKitManageSubscriptionsAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitOfferCodeRedeemAPI {
    public static var offerCodeRedeem: StoreKitOfferCodeRedeemAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitPurchaseAPI {
    public static var purchase: StoreKitPurchaseAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitRefundRequestAPI {
    public static var refundRequest: StoreKitRefundRequestAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitSubscriptionStatusAPI {
    public static var subscriptionStatus: StoreKitSubscriptionStatusAPI { .init() }
}
extension FailableStoreKitAPI where Self == StoreKitVerificationAPI {
    public static var verification: StoreKitVerificationAPI { .init() }
}
