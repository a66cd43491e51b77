import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

/// Builds successful responses.
enum Reply {
    /// Responds with `value` as JSON.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:]
    ) throws -> Response {
        var headers = extra
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: try StoreJSON.encode(value))))
    }

    /// Responds with unchanged bytes.
    static func bytes(
        _ bytes: [UInt8], contentType: String, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:]
    ) -> Response {
        var headers = extra
        headers[.contentType] = contentType
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
