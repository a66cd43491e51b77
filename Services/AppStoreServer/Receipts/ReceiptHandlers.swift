import BusService
import Signing
import StoreHTTP
import StoreModels

extension AppleServer {
    var receiptRoutes: [ServerRoute] {
        [
            ServerRoute(ReceiptRoutes.get) { [self] in try await receipt($0) },
            ServerRoute(ReceiptRoutes.verify) { [self] in try await verifyReceipt($0) },
            ServerRoute(reply: ReceiptRoutes.root) { [self] in try await rootCertificate($0) },
        ]
    }

    /// Reads receipts for routes that evaluate them, such as `POST /v1/eligibility`.
    var receiptReader: ReceiptReader {
        ReceiptReader(keys: signing, services: services, environment: environment)
    }

    /// Responds with the current receipt, or with an empty one without purchases (M139).
    private func receipt(_ call: ServerCall) async throws -> ReceiptResponse {
        let session = try call.customer()
        let customer = CustomerReference(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier)
        async let version = applicationVersion(of: customer.bundleId, call)
        let facts = try await ReceiptContents(of: customer, services: services, context: call.context)
        let data = try await ReceiptMaker(keys: signing, environment: environment).receiptData(
            of: customer, facts, applicationVersion: await version)
        return ReceiptResponse(receiptData: data)
    }

    private func verifyReceipt(_ call: ServerCall) async throws -> VerifyReceiptResponse {
        let bytes = call.bodyBytes()
        let verification = ReceiptVerification(
            reader: receiptReader, keys: keys, environment: environment.ofEndpoint(host: call.request.host),
            store: call.store)
        return await verification.answer(to: bytes, context: call.context) { [self] customer, facts in
            let version = await applicationVersion(of: customer.bundleId, call)
            return try await ReceiptMaker(keys: signing, environment: environment).receiptData(
                of: customer, facts, applicationVersion: version)
        }.response
    }

    /// The app's version according to Catalog, or the first version without Catalog.
    func applicationVersion(of bundleId: String, _ call: ServerCall) async -> String {
        await services.currentVersion(of: bundleId, call.optionalContext)
            ?? ReceiptMaker.originalApplicationVersion
    }

    /// Responds with PEM, or DER when the request accepts only that.
    private func rootCertificate(_ call: ServerCall) async throws -> ServerReply {
        let authority = try await signing.authority()
        if call.request.accept?.contains("application/pkix-cert") == true {
            return ServerReply(bytes: authority.rootDER, contentType: "application/pkix-cert")
        }
        return ServerReply(bytes: Array(authority.rootPEM.utf8), contentType: "application/x-pem-file")
    }
}

extension ReceiptEnvironment {
    /// The environment of the endpoint. Apple's host names `buy.…` and `sandbox.…` select it, else it is the store's.
    func ofEndpoint(host: String?) -> ReceiptEnvironment {
        let host = host?.lowercased() ?? ""
        if host.hasPrefix("buy.") { return .production }
        if host.hasPrefix("sandbox.") { return .sandbox }
        return self
    }
}
