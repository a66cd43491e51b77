import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The response of a handler. Clients of its endpoint decode a `Body`.
struct Reply<Body: Sendable>: Sendable {
    let response: Response

    /// Responds with `value` as JSON.
    init(_ value: Body, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) throws where Body: Encodable {
        try self.init(json: value, status, headers)
    }

    /// Responds with another form of the body.
    init(
        _ form: some JSONForm<Body> & Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws {
        try self.init(json: form, status, headers)
    }

    /// Responds with another form of the body, whose JSON is put together from pieces.
    init(_ form: some JSONForm<Body> & WrittenForm) throws { self.init(json: try form.written(), .ok, [:]) }

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
    init(status: HTTPResponse.Status = .ok, headers: HTTPFields, body: ResponseBody) {
        response = Response(status: status, headers: headers, body: body)
    }

    /// Responds with unchanged bytes.
    init(bytes: [UInt8], contentType: String, headers: HTTPFields = [:]) {
        self.init(bytes: ByteBuffer(bytes: bytes), contentType: contentType, headers: headers)
    }

    /// Responds with unchanged bytes, which several responses may share.
    init(bytes: ByteBuffer, contentType: String, headers extra: HTTPFields = [:]) {
        var headers = extra
        headers[.contentType] = contentType
        self.init(headers: headers, body: .init(byteBuffer: bytes))
    }
}

extension Reply<EventStream> {
    init(headers: HTTPFields, body: ResponseBody) {
        response = Response(status: .ok, headers: headers, body: body)
    }
}

extension Reply<NoContent> {
    static var noContent: Reply { .empty(.noContent) }

    /// Responds with a status and an empty body.
    static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Reply {
        Reply(status: status, headers: headers)
    }

    private init(status: HTTPResponse.Status, headers: HTTPFields) {
        response = Response(status: status, headers: headers)
    }
}

/// The response of a handler that serves two endpoints of one route.
enum EitherReply<First: Sendable, Second: Sendable>: Sendable {
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
protocol WrittenForm: Encodable {
    /// Returns the same bytes as the value's encoding.
    func written() throws -> [UInt8]
}

/// JSON that is put together from pieces.
struct JSONPieces {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ punctuation: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: punctuation.utf8Start, count: punctuation.utf8CodeUnitCount))
    }

    mutating func append(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Adds an array of texts, which is empty in most bodies.
    mutating func append(_ texts: [String]) throws {
        if texts.isEmpty { append("[]") } else { append(try StoreJSON.encode(texts)) }
    }
}

/// The JSON of a `Body` as a service wrote it, forwarded as bytes.
struct Forwarded<Body: Sendable>: JSONForm, Hashable, Codable {
    private let json: RawJSON

    init(from decoder: any Decoder) throws { json = try RawJSON(from: decoder) }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
