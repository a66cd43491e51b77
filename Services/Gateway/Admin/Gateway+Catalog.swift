import BusService
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// Streams the file to Catalog, part by part. The catalogue in force changes with the commit and not earlier. With
    /// `dryRun=true` it does not change at all.
    @concurrent func importCatalog(_ call: Call) async throws -> ImportReport {
        let bundleId = try call.bundleId()
        let fileName = try call.query.single("fileName")
        if let fileName { try Identifier.check(fileName, at: "query fileName") }
        let isTrial = try call.query.boolean("dryRun") ?? false
        let upload = try CatalogUpload(call.request)
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        var parts = try await upload.start()
        let begun = try await services.call(
            CatalogEndpoints.beginImport,
            BeginImportRequest(bundleId: bundleId, byteCount: parts.byteCount, fileName: fileName), context: context)
        var index = 0
        while let part = try await parts.next() {
            let request = ImportPartRequest(importIdentifier: begun.importIdentifier, index: index, data: Data(part))
            _ = try await services.call(CatalogEndpoints.addImportPart, request, context: context)
            index += 1
        }
        return try await services.call(
            isTrial ? CatalogEndpoints.tryImport : CatalogEndpoints.commitImport,
            CommitImportRequest(importIdentifier: begun.importIdentifier), context: context)
    }

    /// Sends the file as it was imported. The first part is read before the response begins, so that an error is a
    /// problem and not a broken file. A later error closes the connection, which the client notices.
    func exportCatalog(_ call: Call) async throws -> Reply<RawBody> {
        let bundleId = try call.bundleId()
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let first = try await services.call(
            CatalogEndpoints.exportPart, ExportPartRequest(bundleId: bundleId, index: 0), context: context)
        let body = ResponseBody { [services] writer in
            try await writer.write(ByteBuffer(bytes: first.data))
            for index in 1..<max(1, first.partCount) {
                let request = ExportPartRequest(bundleId: bundleId, index: index, catalogVersion: first.catalogVersion)
                let part = try await services.call(CatalogEndpoints.exportPart, request, context: context)
                try await writer.write(ByteBuffer(bytes: part.data))
            }
            try await writer.finish(nil)
        }
        let headers: HTTPFields = [.contentType: "application/json", .eTag: "\"\(first.catalogVersion)\""]
        return Reply(headers: headers, body: body)
    }
}
