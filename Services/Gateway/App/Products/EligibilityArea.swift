import BusService
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// The routes by which an app requests its customer's eligibility.
struct EligibilityArea: Area {
    let services: ServiceCaller
    let apps: AppDirectory
    let accounts: AccountDirectory
    let answers: EligibilityAnswers
    let logger: Logger

    var routes: [Route] {
        [
            Route(ProductRoutes.eligibility) { try await answers.reply(about: await accounts.customer($0), $0) },
            Route(ProductRoutes.eligibilityOfReceipt) { try await eligibilityOfReceipt($0) },
        ]
    }

    /// Responds with each subscription's eligibility according to a receipt (M120). It concerns the receipt's customer
    /// only. An invalid receipt is an error without any eligibility.
    private func eligibilityOfReceipt(_ call: Call) async throws -> EligibilityReply {
        let question = try await call.body(of: ProductRoutes.eligibilityOfReceipt)
        var request = try await eligibilityRequest(call)
        request.productIdentifiers = question.productIdentifiers
        guard let history = try await history(of: question.receiptData, request.bundleId, call) else {
            let away = [ServiceName.paymentQueue].compactMap(\.degradedName)
            return try await answers.unknown(request, without: away, call)
        }
        request.receipt = history
        return try await answers.reply(to: request, call)
    }

    /// - Returns: Nil without PaymentQueue, whose clock decides which subscriptions have expired.
    /// - Throws: `receiptInvalid`.
    private func history(
        of receiptData: String, _ bundleId: String, _ call: Call
    ) async throws(StoreError) -> ReceiptHistory? {
        do {
            return try await services.call(
                SigningEndpoints.readReceipt, ReadReceiptRequest(bundleId: bundleId, receiptData: receiptData),
                context: call.context(deadline: call.optionalDeadline))
        } catch  where error.meansAway {
            logger.debug("a receipt is read without a clock", metadata: ["code": "\(error.code)"])
            return nil
        }
    }

    /// The request to Eligibility. It is for the session's customer in the current storefront, or for an app's server
    /// in the storefront of the app's catalogue.
    private func eligibilityRequest(_ call: Call) async throws(StoreError) -> EligibilityRequest {
        if case .server(let key) = call.principal {
            let storefront = try await apps.testerDefaults(of: key.bundleId, call)?.storefront
            return EligibilityRequest(
                bundleId: key.bundleId, customerIdentifier: "", storefront: storefront ?? Directories.defaultStorefront)
        }
        let customer = await accounts.customer(call)
        return EligibilityRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
            storefront: customer.storefront)
    }
}

extension ReceiptQuestion: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
