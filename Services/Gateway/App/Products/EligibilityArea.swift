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
        if let away = try await read(question.receiptData, into: &request, call) {
            return try await answers.unknown(request, without: [away].compactMap(\.degradedName), call)
        }
        return try await answers.reply(to: request, call)
    }

    /// Gives a request the purchases of a receipt.
    /// - Returns: The service that is away: AppStoreServer, or PaymentQueue, whose clock decides which subscriptions
    ///   have expired.
    /// - Throws: `receiptInvalid`.
    private func read(
        _ receiptData: String, into request: inout EligibilityRequest, _ call: Call
    ) async throws(StoreError) -> ServiceName? {
        do {
            request.receipt = try await services.call(
                SigningEndpoints.readReceipt, ReadReceiptRequest(bundleId: request.bundleId, receiptData: receiptData),
                context: call.context(deadline: call.optionalDeadline))
            return nil
        } catch  where error.meansAway {
            let away = error.missingService ?? .appStoreServer
            logger.debug("a receipt is not read", metadata: ["service": "\(away.rawValue)", "code": "\(error.code)"])
            return away
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
