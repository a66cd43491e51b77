import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which the operator sets and reads hosted content.
struct ContentArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            Route(ContentRoutes.put) { try await putContent($0) },
            services.forward(ContentRoutes.get, to: CatalogEndpoints.getContent) { call in
                let product = try call.product()
                return ContentRequest(
                    bundleId: product.bundleId, productIdentifier: product.productIdentifier,
                    version: try call.contentVersion())
            },
        ]
    }

    /// Streams the package to Catalog, part by part. It takes effect with the commit.
    @concurrent private func putContent(_ call: Call) async throws -> Reply<HostedContent> {
        let upload = try ContentUpload(call)
        guard let version = try call.contentVersion() else { throw StoreError.invalid("query version", "is missing") }
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let product = try call.product()
        let begin = BeginContentRequest(
            bundleId: product.bundleId, productIdentifier: product.productIdentifier, version: version)
        let begun = try await services.call(CatalogEndpoints.beginContent, begin, context: context)
        let commit = try await upload.send(begun, services, CatalogEndpoints.addContentPart, context)
        let reply = try await services.call(CatalogEndpoints.commitContent, commit, context: context)
        return try Reply(reply.content, status: reply.isReplaced ? .ok : .created)
    }
}

extension Call {
    /// The content's version from the query, such as `1.0`. Nil when it is missing.
    /// - Throws: `requestInvalid`.
    fileprivate func contentVersion() throws(StoreError) -> String? {
        guard let version = try query.single("version") else { return nil }
        try Identifier.check(version, at: "query version", lengthMax: 64)
        return version
    }
}
