internal import StoreModels

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

extension SKError {
    /// The error codes, with StoreKit's names and numbers.
    public typealias Code = CStoreKit.SKErrorCode

    // Each code is also a member of the error type, as in StoreKit.
    public static var unknown: Code { .unknown }
    public static var clientInvalid: Code { .clientInvalid }
    public static var paymentCancelled: Code { .paymentCancelled }
    public static var paymentInvalid: Code { .paymentInvalid }
    public static var paymentNotAllowed: Code { .paymentNotAllowed }
    public static var storeProductNotAvailable: Code { .storeProductNotAvailable }
    public static var cloudServicePermissionDenied: Code { .cloudServicePermissionDenied }
    public static var cloudServiceNetworkConnectionFailed: Code { .cloudServiceNetworkConnectionFailed }
    public static var cloudServiceRevoked: Code { .cloudServiceRevoked }
    public static var privacyAcknowledgementRequired: Code { .privacyAcknowledgementRequired }
    public static var unauthorizedRequestData: Code { .unauthorizedRequestData }
    public static var invalidOfferIdentifier: Code { .invalidOfferIdentifier }
    public static var invalidSignature: Code { .invalidSignature }
    public static var missingOfferParams: Code { .missingOfferParams }
    public static var invalidOfferPrice: Code { .invalidOfferPrice }
    public static var overlayCancelled: Code { .overlayCancelled }
    public static var overlayInvalidConfiguration: Code { .overlayInvalidConfiguration }
    public static var overlayTimeout: Code { .overlayTimeout }
    public static var ineligibleForOffer: Code { .ineligibleForOffer }
    public static var unsupportedPlatform: Code { .unsupportedPlatform }
    public static var overlayPresentedInBackgroundScene: Code { .overlayPresentedInBackgroundScene }
}

extension CStoreKit.SKErrorCode {
    /// Matches an error of any type by domain and code: `catch SKError.paymentCancelled`.
    public static func ~= (code: Self, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == SKErrorDomain && error.code == code.rawValue
    }
}

extension SKError {
    /// StoreKit's domain of underlying errors.
    private static let underlyingDomain = "ASDServerErrorDomain"

    /// Converts the error of a failed transaction, restore or download.
    ///
    /// A code that this version does not know becomes `unknown`, with its number as the underlying error.
    init(_ error: TransactionError) {
        let isKnown = StoreModels.SKErrorCode(rawValue: error.code) != nil
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: error.localizedDescription]
        userInfo[NSLocalizedFailureReasonErrorKey] = error.reason
        if let underlying = error.underlying {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: Self.underlyingDomain, code: underlying)
        } else if !isKnown {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: error.domain, code: error.code)
        }
        self.init((isKnown ? Code(rawValue: error.code) : nil) ?? .unknown, userInfo: userInfo)
    }

    /// Converts the error of a request: to the error the store names, else `unknown` with the cause underlying.
    init(cause: any Error) {
        if let named = (cause as? StoreProblem)?.storeKitError {
            self.init(named)
            return
        }
        self.init(
            .unknown,
            userInfo: [NSLocalizedDescriptionKey: Self.sentence(cause), NSUnderlyingErrorKey: cause])
    }

    private static func sentence(_ cause: any Error) -> String {
        (cause as? StoreProblem)?.detail ?? "The store cannot be reached. (\((cause as NSError).code))"
    }
}

extension Result where Failure == any Error {
    /// Runs a request of the app. An error is a `URLError` when the store could not be reached, else an ``SKError``.
    init(ofRequest request: () async throws -> Success) async {
        do {
            self = .success(try await request())
        } catch let error as URLError {
            self = .failure(error)
        } catch {
            self = .failure(SKError(cause: error))
        }
    }
}
