internal import StoreModels

/// The reason why the store could not do what an app asked for.
#if hasAttribute(nonexhaustive)
    @nonexhaustive(warn)
#endif
public enum StoreKitError: Error, Sendable, LocalizedError {
    case unknown, userCancelled
    /// The store could not be reached.
    case networkError(URLError)
    /// The store refused, or its answer could not be read. The error is an ``SKError``, a ``StoreProblem`` or another.
    case systemError(any Error)
    case notAvailableInStorefront, notEntitled, unsupported, invalidPresentationContext

    /// The failure, in a sentence.
    public var errorDescription: String? {
        switch self {
        case .networkError: "The store cannot be reached."
        case .userCancelled: "The request was cancelled."
        default: "The store could not do this."
        }
    }
    /// Why it has failed.
    public var failureReason: String? {
        switch self {
        case .networkError(let error): error.localizedDescription
        case .systemError(let error): error.localizedDescription
        case .userCancelled: "The customer has cancelled."
        case .notAvailableInStorefront: "The product is not sold in the customer's storefront."
        case .notEntitled: "The app may not use this."
        case .unsupported: "This store does not have it."
        case .invalidPresentationContext: "There is nothing to show it in."
        case .unknown: nil
        }
    }
    /// The remedy, in a sentence.
    public var recoverySuggestion: String? { nil }
}

extension StoreKitError {
    /// Converts the error of a request.
    init(cause: any Error) {
        switch cause {
        case let error as StoreKitError: self = error
        case let error as URLError: self = .networkError(error)
        case let error as SKError where error.code == .paymentCancelled: self = .userCancelled
        case let error as SKError where error.code == .unsupportedPlatform: self = .unsupported
        case let error as SKError where error.code == .unknown:
            self = error.underlying.map { StoreKitError(cause: $0) } ?? .unknown
        case let error as SKError: self = .systemError(error)
        case let problem as StoreProblem where problem.storeKitError != nil: self.init(cause: SKError(cause: problem))
        case let problem as StoreProblem where problem.code == StoreErrorCode.notImplemented.name: self = .unsupported
        default: self = .systemError(cause)
        }
    }

    /// Runs a request, and converts its error.
    static func catching<Value>(_ body: () async throws -> Value) async throws(StoreKitError) -> Value {
        do {
            return try await body()
        } catch {
            throw StoreKitError(cause: error)
        }
    }
}
