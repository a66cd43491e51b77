import BusService
import HTTPTypes
import Hummingbird
import Signing
import StoreHTTP
import StoreModels

extension Gateway {
    var receiptRoutes: [Route] {
        [
            Route(ReceiptRoutes.get) { [self] in try await receipt($0) },
            Route(ReceiptRoutes.verify) { [self] in try await verifyReceipt($0) },
            // Apple's server answers every method; a status in the body says that POST is required.
            Route(ReceiptRoutes.verifyByGet) { _ in VerifyReceiptStatus.notPost.response },
            Route(ReceiptRoutes.root) { [self] in try await rootCertificate($0) },
        ]
    }

    /// Reads receipts for routes that evaluate them, such as `POST /v1/eligibility`.
    var receiptReader: ReceiptReader {
        ReceiptReader(keys: signing, services: services, environment: environment)
    }

    /// Responds with the current receipt, or with an empty one without purchases (M139).
    /// - Throws: `serviceUnavailable` for a tester whose refreshes fail.
    private func receipt(_ call: Call) async throws -> ReceiptResponse {
        try await accounts.shopper(call).checkMayRefreshReceipt()
        let customer = CustomerReference(
            bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier)
        async let version = applicationVersion(of: customer.bundleId, call)
        let facts = try await ReceiptContents(of: customer, services: services, context: call.context())
        let data = try await ReceiptMaker(keys: signing, environment: environment).receiptData(
            of: customer, facts, applicationVersion: await version)
        return ReceiptResponse(receiptData: data)
    }

    private func verifyReceipt(_ call: Call) async throws -> VerifyReceiptResponse {
        let bytes = try await call.bodyBytes()
        let verification = ReceiptVerification(
            reader: receiptReader, keys: keys, environment: environment.ofEndpoint(host: call.request.head.authority),
            store: call.store)
        return await verification.answer(to: bytes, context: call.context()) { [self] customer, facts in
            let version = await applicationVersion(of: customer.bundleId, call)
            return try await ReceiptMaker(keys: signing, environment: environment).receiptData(
                of: customer, facts, applicationVersion: version)
        }.response
    }

    /// The app's version according to Catalog, or the first version without Catalog.
    func applicationVersion(of bundleId: String, _ call: Call) async -> String {
        await currentVersion(of: bundleId, call.context(deadline: call.optionalDeadline))
            ?? ReceiptMaker.originalApplicationVersion
    }

    /// The app's version according to Catalog. Nil without Catalog.
    func currentVersion(of bundleId: String, _ context: CallContext) async -> String? {
        let app = try? await services.call(
            CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), context: context)
        return app?.settings.currentVersion
    }

    /// Responds with PEM, or DER when the request accepts only that.
    private func rootCertificate(_ call: Call) async throws -> Reply<RawBody> {
        let authority = try await signing.authority()
        if call.request.headers[.accept]?.contains("application/pkix-cert") == true {
            return Reply(bytes: try authority.rootDER(), contentType: "application/pkix-cert")
        }
        return Reply(bytes: Array(try authority.rootPEM().utf8), contentType: "application/x-pem-file")
    }
}

extension ReceiptEnvironment {
    /// The environment of the endpoint. Apple's host names `buy.…` and `sandbox.…` select it, else it is the gateway's.
    func ofEndpoint(host: String?) -> ReceiptEnvironment {
        let host = host?.lowercased() ?? ""
        if host.hasPrefix("buy.") { return .production }
        if host.hasPrefix("sandbox.") { return .sandbox }
        return self
    }
}
