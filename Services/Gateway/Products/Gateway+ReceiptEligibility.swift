import BusService
import Hummingbird
import Logging
import Signing
import StoreModels

extension Gateway {
    /// Per subscription, from what a receipt says (M120): of a customer whose receipt it is, and of nobody else. A
    /// receipt that is not believed is refused and never answered with a word on eligibility.
    func eligibilityOfReceipt(_ call: Call) async throws -> Response {
        let question = try await call.body(ReceiptQuestion.self, max: HTTPLimits.receiptBytesMax)
        try question.validate()
        var request = try await eligibilityRequest(call)
        request.productIdentifiers = question.productIdentifiers
        guard let history = try await history(of: question.receiptData, request.bundleId, call) else {
            let away = [ServiceName.paymentQueue].compactMap(\.degradedName)
            return try Reply.json(try await unknownEligibility(request, without: away, call))
        }
        request.receipt = history
        return try Reply.json(try await eligibility(request, call))
    }

    /// - Returns: nil without PaymentQueue, which has the clock that says what has expired.
    /// - Throws: `receiptInvalid`.
    private func history(of receiptData: String, _ bundleId: String, _ call: Call) async throws -> ReceiptHistory? {
        do {
            return try await receiptReader.history(
                of: receiptData, bundleId: bundleId, context: call.context(deadline: call.optionalDeadline))
        } catch let error as ReceiptError {
            throw error.problem
        } catch let error as StoreError where error.meansAway {
            logger.debug("a receipt is read without a clock", metadata: ["code": "\(error.code)"])
            return nil
        }
    }

    /// For the session's customer where they shop now, or for whomever an app's server asks about, in the storefront the
    /// app's catalogue names.
    private func eligibilityRequest(_ call: Call) async throws(StoreError) -> EligibilityRequest {
        if case .server(let key) = call.principal {
            let storefront = try await apps.testerDefaults(of: key.bundleId, call)?.storefront
            return EligibilityRequest(
                bundleId: key.bundleId, customerIdentifier: "", storefront: storefront ?? Self.defaultStorefront)
        }
        let shopper = await accounts.shopper(call)
        return EligibilityRequest(
            bundleId: shopper.bundleId, customerIdentifier: shopper.customerIdentifier, storefront: shopper.storefront)
    }
}
