import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// Routes by which the operator sets and reads hosted content.
    var contentRoutes: [Route] {
        [
            Route(ContentRoutes.put) { [self] in
                try await putContent($0)
            },
            Route(ContentRoutes.get) { [self] in
                try await content($0)
            },
        ]
    }

    /// Streams the package to Catalog, part by part; it takes effect with the commit.
    @concurrent private func putContent(_ call: Call) async throws -> Reply<HostedContent> {
        let upload = try ContentUpload(call)
        guard let version = try call.contentVersion() else { throw StoreError.invalid("query version", "is missing") }
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let begin = BeginContentRequest(
            bundleId: try call.bundleId(), productIdentifier: try call.parameter(.id, of: "product"), version: version)
        let identifier = try await services.call(CatalogEndpoints.beginContent, begin, context: context)
            .uploadIdentifier
        var parts = upload.parts()
        while let part = try await parts.next() {
            let request = ContentPartRequest(
                uploadIdentifier: identifier, offset: parts.offset - Int64(part.count),
                data: Data(part).base64EncodedString())
            _ = try await services.call(CatalogEndpoints.addContentPart, request, context: context)
        }
        let reply = try await services.call(
            CatalogEndpoints.commitContent, CommitContentRequest(uploadIdentifier: identifier, length: parts.offset),
            context: context)
        return try Reply(reply.content, status: reply.isReplaced ? .ok : .created)
    }

    private func content(_ call: Call) async throws -> HostedContent {
        let request = ContentRequest(
            bundleId: try call.bundleId(), productIdentifier: try call.parameter(.id, of: "product"),
            version: try call.contentVersion())
        return try await services.call(CatalogEndpoints.getContent, request, context: call.context())
    }
}

extension Call {
    /// The content's version from the query, such as `1.0`; nil when it is missing.
    /// - Throws: `requestInvalid`.
    fileprivate func contentVersion() throws(StoreError) -> String? {
        guard let version = try query.single("version") else { return nil }
        try Identifier.check(version, at: "query version", lengthMax: 64)
        return version
    }
}
