import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension HTTPError {
    /// The error's response where errors have Apple's shape: one that AppStoreServer has not answered.
    var serverAPIResponse: Response {
        let apple = ServerAPIError(error)
        let body = ServerAPIErrorResponse(errorCode: apple.code, errorMessage: apple.message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        let bytes = (try? StoreJSON.encode(body)) ?? []
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfterMs = error.retryAfterMs { headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        return Response(
            status: .init(code: apple.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
