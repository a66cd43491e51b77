import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The response of a handler; clients of its endpoint decode a `Body`.
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

    private init(json value: some Encodable, _ status: HTTPResponse.Status, _ extra: HTTPFields) throws {
        var headers = extra
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        if let location = headers[.location] { headers[.location] = StoreScope.shown(location) }
        let json = StoreScope.shown(try StoreJSON.encode(value))
        response = Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }
}

extension Reply<RawBody> {
    /// Responds with a body that is written piece by piece.
    init(status: HTTPResponse.Status = .ok, headers: HTTPFields, body: ResponseBody) {
        response = Response(status: status, headers: headers, body: body)
    }

    /// Responds with unchanged bytes.
    init(bytes: [UInt8], contentType: String, headers extra: HTTPFields = [:]) {
        var headers = extra
        headers[.contentType] = contentType
        self.init(headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
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
    static func empty(_ status: HTTPResponse.Status) -> Reply { Reply(status: status) }

    private init(status: HTTPResponse.Status) { response = Response(status: status) }
}

/// The response of a handler that serves two endpoints of one route.
enum EitherReply<First: Sendable, Second: Sendable>: Sendable {
    case first(Reply<First>)
    case second(Reply<Second>)
}

/// The JSON of a `Body` as a service wrote it, forwarded as bytes.
struct Forwarded<Body: Sendable>: JSONForm, Hashable, Codable {
    private let json: RawJSON

    init(from decoder: any Decoder) throws { json = try RawJSON(from: decoder) }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
