import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The response of a handler. Clients of its endpoint decode a `Body`.
package struct Reply<Body: Sendable>: Sendable {
    /// The response with status, header fields and body.
    package let response: Response

    /// Responds with `value` as JSON.
    package init(_ value: Body, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws
    where Body: Encodable {
        try self.init(json: value, status, headers)
    }

    /// Responds with another form of the body.
    package init(
        _ form: some JSONForm<Body> & Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws {
        try self.init(json: form, status, headers)
    }

    /// Responds with another form of the body, whose JSON is put together from pieces.
    package init(_ form: some JSONForm<Body> & WrittenForm) throws { self.init(json: try form.written(), .ok, [:]) }

    private init(json value: some Encodable, _ status: HTTPResponse.Status, _ extra: HTTPFields) throws {
        self.init(json: try StoreJSON.encode(value), status, extra)
    }

    private init(json bytes: [UInt8], _ status: HTTPResponse.Status, _ extra: HTTPFields) {
        var headers = JSONHeaders.all
        for field in extra where !JSONHeaders.all.contains(field.name) { headers.append(field) }
        response = Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Reply<RawBody> {
    /// Responds with a body that is written piece by piece.
    package init(status: HTTPResponse.Status = .ok, headers: HTTPFields, body: ResponseBody) {
        response = Response(status: status, headers: headers, body: body)
    }

    /// Responds with unchanged bytes.
    package init(bytes: [UInt8], contentType: String, headers: HTTPFields = [:]) {
        self.init(bytes: ByteBuffer(bytes: bytes), contentType: contentType, headers: headers)
    }

    /// Responds with unchanged bytes, which several responses may share.
    package init(bytes: ByteBuffer, contentType: String, headers extra: HTTPFields = [:]) {
        var headers = extra
        headers[.contentType] = contentType
        self.init(headers: headers, body: .init(byteBuffer: bytes))
    }
}

extension Reply<EventStream> {
    /// Responds with events, written as they happen.
    package init(headers: HTTPFields, body: ResponseBody) {
        response = Response(status: .ok, headers: headers, body: body)
    }
}

extension Reply<NoContent> {
    /// Responds 204.
    package static var noContent: Reply { .empty(.noContent) }

    /// Responds with a status and an empty body.
    package static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Reply {
        Reply(status: status, headers: headers)
    }

    private init(status: HTTPResponse.Status, headers: HTTPFields) {
        response = Response(status: status, headers: headers)
    }
}

/// The response of a handler that serves two endpoints of one route.
package enum EitherReply<First: Sendable, Second: Sendable>: Sendable {
    case first(Reply<First>)
    case second(Reply<Second>)
}

/// The header fields of every response with JSON.
private enum JSONHeaders {
    static let all: HTTPFields = [
        .contentType: "application/json", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
}

/// A body of mostly prepared JSON, which is copied faster than encoded.
package protocol WrittenForm: Encodable {
    /// Returns the same bytes as the value's encoding.
    func written() throws -> [UInt8]
}

/// JSON that is put together from pieces.
package struct JSONPieces {
    /// The JSON so far.
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: The number of bytes to reserve.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Adds text that is JSON.
    package mutating func append(_ punctuation: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: punctuation.utf8Start, count: punctuation.utf8CodeUnitCount))
    }

    /// Adds encoded JSON.
    package mutating func append(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Adds an array of texts, which is empty in most bodies.
    package mutating func append(_ texts: [String]) throws {
        if texts.isEmpty { append("[]") } else { append(try StoreJSON.encode(texts)) }
    }
}

/// The JSON of a `Body` as a service wrote it, forwarded as bytes.
package struct Forwarded<Body: Sendable>: JSONForm, Hashable, Codable {
    private let json: RawJSON

    package init(from decoder: any Decoder) throws { json = try RawJSON(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
