import BusService
import FoundationEssentials
import GatewayEdge
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The routes by which the operator imports and exports an app's catalogue.
struct CatalogArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            Route(AppRoutes.exportCatalog) { try await exportCatalog($0) },
            Route(AppRoutes.importCatalog) { try await importCatalog($0) },
        ]
    }

    /// Streams the file to Catalog, part by part. The catalogue in force changes with the commit and not earlier. With
    /// `dryRun=true` it does not change at all.
    @concurrent private func importCatalog(_ call: Call) async throws -> ImportReport {
        let bundleId = try call.bundleId()
        let fileName = try call.query.single("fileName")
        if let fileName { try Identifier.check(fileName, at: "query fileName") }
        let isTrial = try call.query.boolean("dryRun") ?? false
        return try await CatalogUpload(call.request).send(
            to: bundleId, fileName: fileName, isTrial: isTrial, by: services, call)
    }

    /// Sends the file as it was imported. The first part is read before the response begins, so that an error is a
    /// problem and not a broken file. A later error closes the connection, which the client notices.
    private func exportCatalog(_ call: Call) async throws -> Reply<RawBody> {
        let bundleId = try call.bundleId()
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        let first = try await services.call(
            CatalogEndpoints.exportPart, ExportPartRequest(bundleId: bundleId, index: 0), context: context)
        let body = ResponseBody { writer in
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

/// An uploaded file, split into parts that fit a bus message.
///
/// With a `Content-Length` at most one part is held in memory. Without one the size must be known before the first part
/// is sent, so up to 8 MiB are held and larger files are rejected.
struct CatalogUpload {
    private let request: Request
    private let announced: Int?

    /// - Throws: `bodyTooLarge`, `requestInvalid`.
    init(_ request: Request) throws(StoreError) {
        self.request = request
        if let text = request.headers[.contentLength] {
            guard let length = Int(text), length >= 0 else { throw .invalid("Content-Length", "must be a number") }
            guard length <= HTTPLimits.catalogBytesMax else {
                throw RequestBodyReader.tooLarge(HTTPLimits.catalogBytesMax)
            }
            announced = length
        } else {
            announced = nil
        }
    }

    /// Imports the file.
    /// - Parameter isTrial: Whether it is only read.
    @concurrent func send(
        to bundleId: String, fileName: String?, isTrial: Bool, by services: ServiceCaller, _ call: Call
    ) async throws -> ImportReport {
        let context = call.context(deadline: .now + HTTPLimits.uploadTimeout)
        var parts = try await start()
        let begun = try await services.call(
            CatalogEndpoints.beginImport,
            BeginImportRequest(
                bundleId: bundleId, byteCount: parts.byteCount, fileName: fileName,
                data: try await parts.next().map { Data($0) }),
            context: context)
        var index = 1
        while let part = try await parts.next() {
            let request = ImportPartRequest(importIdentifier: begun.importIdentifier, index: index, data: Data(part))
            _ = try await services.call(CatalogEndpoints.addImportPart, request, context: context)
            index += 1
        }
        return try await services.call(
            isTrial ? CatalogEndpoints.tryImport : CatalogEndpoints.commitImport,
            CommitImportRequest(importIdentifier: begun.importIdentifier), context: context)
    }

    /// Begins reading the parts. Without a `Content-Length` it reads the whole file first.
    /// - Throws: `requestInvalid` (411) for a file that is too large to be held.
    @concurrent func start() async throws -> Parts {
        if let announced { return Parts(byteCount: announced, body: request.body.makeAsyncIterator()) }
        var held: [UInt8] = []
        for try await chunk in request.body {
            held.append(contentsOf: chunk.readableBytesView)
            guard held.count <= HTTPLimits.unannouncedCatalogBytesMax else {
                throw StoreError.invalid(
                    "Content-Length", "is missing; a catalogue this large must announce it", status: 411)
            }
        }
        return Parts(byteCount: held.count, body: RequestBody(buffer: ByteBuffer(bytes: held)).makeAsyncIterator())
    }

    /// The parts in order, each of `ImportPartRequest.byteCountMax` bytes but the last.
    struct Parts {
        /// The size of the whole file.
        let byteCount: Int
        private var body: RequestBody.AsyncIterator
        private var held: [UInt8] = []
        private var taken = 0
        private var isAtEnd = false

        init(byteCount: Int, body: RequestBody.AsyncIterator) {
            self.byteCount = byteCount
            self.body = body
        }

        /// - Returns: The next part, or nil after the last one. An empty file has one empty part, so that Catalog
        ///   reports the fault.
        @concurrent mutating func next() async throws -> [UInt8]? {
            while held.count < ImportPartRequest.byteCountMax, !isAtEnd {
                guard let chunk = try await body.next() else {
                    isAtEnd = true
                    break
                }
                held.append(contentsOf: chunk.readableBytesView)
            }
            guard !held.isEmpty || taken == 0 else { return nil }
            let part = Array(held.prefix(ImportPartRequest.byteCountMax))
            held.removeFirst(part.count)
            taken += 1
            return part
        }
    }
}
