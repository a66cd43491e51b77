/// The domain of the errors of ``SKTestSession``.
public let SKTestErrorDomain = "SKTestErrorDomain"

/// An error of ``SKTestSession``. Its description has the store's reason.
public struct SKTestError: CustomNSError, Hashable, LocalizedError, Sendable {
    /// The kinds of errors. The numbers are this library's.
    public enum Code: Int, Hashable, Sendable {
        /// There is no such file.
        case fileNotFound = 1
        /// The store's state does not allow it.
        case invalidAction
        /// The store does not sell the product.
        case invalidProductIdentifier
        /// The product is of another type.
        case invalidProductType
        /// The URL is not a file's, or the store refuses the file.
        case invalidURL
        /// The customer has no such subscription.
        case noSubscriptionFound
        /// There is no such transaction.
        case noTransactionFound
        /// The store cannot be reached, or is not known.
        case serviceUnavailable
    }

    /// The kind of error.
    public let code: Code
    /// The reason, in a sentence.
    public let errorDescription: String?

    /// Makes an error.
    /// - Parameter description: The reason, in a sentence.
    public init(_ code: Code, _ description: String? = nil) { (self.code, errorDescription) = (code, description) }

    public static var errorDomain: String { SKTestErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:] }

    // Each code is also a member of the error type, as in StoreKitTest.
    public static var fileNotFound: Code { .fileNotFound }
    public static var invalidAction: Code { .invalidAction }
    public static var invalidProductIdentifier: Code { .invalidProductIdentifier }
    public static var invalidProductType: Code { .invalidProductType }
    public static var invalidURL: Code { .invalidURL }
    public static var noSubscriptionFound: Code { .noSubscriptionFound }
    public static var noTransactionFound: Code { .noTransactionFound }
    public static var serviceUnavailable: Code { .serviceUnavailable }
}

extension SKTestError.Code {
    /// Matches an error of any type by its code: `catch SKTestError.fileNotFound`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? SKTestError)?.code == code }
}

extension SKTestError {
    /// Converts the error of a request.
    /// - Parameter missing: The code for an object that the store does not have.
    init(cause: any Error, missing: Code) {
        switch cause {
        case let error as SKTestError: self = error
        case let problem as StoreProblem where problem.status == 404: self.init(missing, problem.detail)
        case let problem as StoreProblem where [401, 429].contains(problem.status) || problem.status >= 500:
            self.init(.serviceUnavailable, problem.detail)
        case let problem as StoreProblem: self.init(.invalidAction, problem.detail)
        default: self.init(.serviceUnavailable, "the store cannot be reached: \(cause.localizedDescription)")
        }
    }
}
