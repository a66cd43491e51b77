import NIOCore
import StoreHTTP
import StoreModels

/// A problem that the gateway's edge responds with, before any handler. It is encoded once but for the trace.
struct EdgeResponse {
    private static let traceDigits = 32

    private let head: [UInt8]
    private let beforeTrace: [UInt8]
    private let afterTrace: [UInt8]
    /// Whether the connection ends with it.
    let closes: Bool

    private init(status: String, _ error: StoreError, retryAfter: Int? = nil, closes: Bool) {
        let placeholder = String(repeating: "0", count: Self.traceDigits)
        let title = String(status.drop { $0 != " " }.dropFirst())
        let problem = Problem(error, status: error.status, title: title, traceID: placeholder)
        // Encoding strings, numbers and booleans cannot fail.
        let text = String(decoding: (try? StoreJSON.encode(problem)) ?? [], as: UTF8.self)
        let trace = text.firstRange(of: placeholder) ?? text.endIndex..<text.endIndex
        beforeTrace = Array(text[..<trace.lowerBound].utf8)
        afterTrace = Array(text[trace.upperBound...].utf8)
        var lines = [
            "HTTP/1.1 \(status)", "Content-Type: application/problem+json", "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            "Content-Length: \(beforeTrace.count + Self.traceDigits + afterTrace.count)",
        ]
        if let retryAfter { lines.append("Retry-After: \(retryAfter)") }
        head = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        self.closes = closes
    }

    private static let refusals = (1...Int(RefusalPace.pauseMax.nanoseconds / 1_000_000_000)).map { seconds in
        EdgeResponse(
            status: "503 Service Unavailable",
            StoreError(.serviceUnavailable, "the gateway is overloaded", retryAfterMs: seconds * 1000),
            retryAfter: seconds, closes: false)
    }

    /// The refusal of an overloaded gateway.
    /// - Parameter pause: The time to come again, in `Retry-After` rounded up to seconds, at least one.
    static func overloaded(_ pause: TimeAmount) -> EdgeResponse {
        refusals[min(refusals.count - 1, Int(max(0, pause.nanoseconds - 1) / 1_000_000_000))]
    }

    static let late = EdgeResponse(
        status: "408 Request Timeout", .invalid("body", "did not arrive in time", status: 408), closes: true)

    static let invalidHost = EdgeResponse(
        status: "400 Bad Request", .invalid("Host", "must be there once in a request of HTTP/1.1"), closes: true)

    static let plainHTTP = EdgeResponse(
        status: "400 Bad Request", .invalid("scheme", "must be https on this port"), closes: true)

    func bytes(_ traceID: String, hasBody: Bool, closes: Bool, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var response = allocator.buffer(capacity: 512)
        response.writeBytes(head)
        if closes { response.writeStaticString("Connection: close\r\n") }
        response.writeStaticString("\r\n")
        if hasBody {
            response.writeBytes(beforeTrace)
            response.writeString(traceID)
            response.writeBytes(afterTrace)
        }
        return response
    }
}
