import Foundation
internal import StoreModels

extension SKError {
    /// The domain StoreKit gives the numbers beneath its own codes.
    private static let underlyingDomain = "ASDServerErrorDomain"

    /// The error of a failed transaction, restore or download.
    ///
    /// A code this version does not know is `unknown`; its number is kept as the error beneath.
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

    /// What StoreKit makes of a store that cannot be reached or that refuses: `unknown`, with the cause beneath; the
    /// error itself where the store names it.
    init(cause: any Error) {
        if let told = (cause as? StoreProblem)?.storeKitError {
            self.init(told)
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
