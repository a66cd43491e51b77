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

/// Responds with a package's bytes, read from Catalog part by part. Each part is read after the client has taken the
/// previous one, so that a whole package is never in memory.
struct ContentReader: Sendable {
    let services: ServiceCaller
    let bundleId: String
    let productIdentifier: String
    let content: HostedContent

    /// Responds with the whole package (200) or one range of it (206). It responds 416 when the range does not exist.
    ///
    /// The first part is read before the response begins, so that an error is a problem and not a broken file. A later
    /// error, such as a package that was replaced, closes the connection. The client resumes with `If-Range` and gets
    /// the new package whole.
    func response(to call: Call) async throws -> Reply<RawBody> {
        let headers = call.request.headers
        let isSame = headers[.ifRange].map { $0 == entityTag } ?? true
        let range: Range<Int64>
        var status = HTTPResponse.Status.ok
        var answer: HTTPFields = [:]
        switch ByteRange(isSame ? headers[.range] : nil, length: content.contentLength) {
        case .whole: range = 0..<content.contentLength
        case .part(let part):
            range = part
            status = .partialContent
            answer[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.contentLength)"
        case .unsatisfiable: throw unsatisfiable
        }
        let first = range.isEmpty ? [] : try await part(at: range.lowerBound, before: range.upperBound, call)
        answer[.contentType] = "application/octet-stream"
        answer[.eTag] = entityTag
        answer[.acceptRanges] = "bytes"
        // The content belongs to one customer; caches must revalidate it before each use.
        answer[.cacheControl] = "private, no-cache"
        let body = ResponseBody(contentLength: range.count) { writer in
            try await write(first, range, to: &writer, call)
        }
        return Reply(status: status, headers: answer, body: body)
    }

    private var entityTag: String { "\"\(content.sha256)\"" }

    private var unsatisfiable: HTTPError {
        HTTPError(
            .invalid("Range", "must begin within the \(content.contentLength) bytes there are", status: 416),
            headers: [.contentRange: "bytes */\(content.contentLength)"])
    }

    @concurrent private func write(
        _ first: [UInt8], _ range: Range<Int64>, to writer: inout any ResponseBodyWriter, _ call: Call
    ) async throws {
        var bytes = first
        var offset = range.lowerBound
        while !bytes.isEmpty {
            try await writer.write(ByteBuffer(bytes: bytes))
            offset += Int64(bytes.count)
            bytes = offset < range.upperBound ? try await part(at: offset, before: range.upperBound, call) : []
        }
        try await writer.finish(nil)
    }

    private func part(at offset: Int64, before end: Int64, _ call: Call) async throws(StoreError) -> [UInt8] {
        let length = Int(min(end - offset, Int64(ContentPartRequest.bytesMax)))
        let request = ReadContentRequest(
            bundleId: bundleId, productIdentifier: productIdentifier, version: content.contentVersion,
            sha256: content.sha256, offset: offset, length: length)
        let part = try await services.call(
            CatalogEndpoints.readContent, request, context: call.context(deadline: .now + HTTPLimits.requestTimeout))
        guard let data = Data(base64Encoded: part.data), data.count == length else {
            throw StoreError(.internal, "catalog answered other bytes of the content than it was asked for")
        }
        return Array(data)
    }
}
