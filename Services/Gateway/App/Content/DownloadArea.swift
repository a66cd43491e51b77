import BusService
import FoundationEssentials
import GatewayEdge
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The routes by which an app's device downloads hosted content.
struct DownloadArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        DownloadAction.allCases.map { action in
            Route(DownloadRoutes.update(action)) { try await update($0, action) }
        } + [
            Route(DownloadRoutes.content) { try await content($0) }
        ]
    }

    private func update(_ call: Call, _ action: DownloadAction) async throws -> Download {
        var error: SKErrorCode?
        if action == .fail {
            let body = try await call.body(of: DownloadRoutes.update(action))
            error = body.error?.code
        } else {
            _ = try await call.body(Empty.self, isOptional: true)
        }
        let session = call.session
        let request = UpdateDownloadRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            downloadId: try call.parameter(.id, of: "download"), action: action, error: error)
        let reply = try await services.call(PaymentEndpoints.updateDownload, request, for: call)
        return reply.download
    }

    /// Sends the content's bytes, whole or a range of them. Reading changes no state. A cancelled download is no longer
    /// served.
    private func content(_ call: Call) async throws -> Reply<RawBody> {
        let session = call.session
        let request = DownloadRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            downloadId: try call.parameter(.id, of: "download"))
        let found = try await services.call(PaymentEndpoints.getDownload, request, for: call)
        guard found.download.state != .cancelled else {
            throw StoreError(.downloadStateInvalid, "download \(found.download.id) is cancelled")
        }
        let content = try await services.call(
            CatalogEndpoints.getContent,
            ContentRequest(
                bundleId: session.bundleId, productIdentifier: found.productIdentifier,
                version: found.download.contentVersion), for: call)
        let reader = ContentReader(
            services: services, bundleId: session.bundleId, productIdentifier: found.productIdentifier,
            content: content)
        return try await reader.response(to: call)
    }
}

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

    private var unsatisfiable: HTTPProblem {
        HTTPProblem(
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

/// The requested bytes of a package (RFC 9110 §14): all, one range, or an unsatisfiable range.
///
/// Only single ranges are served. Other units, several ranges and malformed fields are ignored, as the RFC allows: the
/// response is the whole package.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int64>)
    /// The range begins after the last byte, or is the last 0 bytes.
    case unsatisfiable

    /// - Parameters:
    ///   - header: The `Range` field. Nil for none.
    ///   - length: The size of the package in bytes.
    init(_ header: String?, length: Int64) {
        guard let header, let (first, last) = Self.bounds(of: header) else {
            self = .whole
            return
        }
        switch (first, last) {
        case (let first?, let last?) where last < first: self = .whole
        case (let first?, _) where first >= length: self = .unsatisfiable
        case (let first?, let last): self = .part(first..<min(last ?? length - 1, length - 1) + 1)
        case (nil, let count?):
            self = count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
        case (nil, nil): self = .whole
        }
    }

    /// Parses `bytes=0-499`, `bytes=500-` or `bytes=-500` into two numbers. One of them may be missing.
    private static func bounds(of header: String) -> (Int64?, Int64?)? {
        let sides = header.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, Substring(sides[0]).lowercased() == "bytes" else { return nil }
        let ends = sides[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
        return (first, last)
    }

    /// - Returns: `.some(nil)` for no digits, nil for text that is not a number. A number too large for `Int64` is its
    ///   maximum.
    private static func number(_ text: Substring.UTF8View) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return .some(Int64(Substring(text)) ?? .max)
    }
}
