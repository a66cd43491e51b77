import Foundation
internal import StoreModels

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
