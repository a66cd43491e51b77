import StoreModels

/// An answer of the monitoring port.
package struct MonitorResponse: Sendable, Equatable {
    /// HTTP status.
    package var status: Int
    /// The value of the `Content-Type` header.
    package var contentType: String
    /// The whole body. A HEAD request gets its length only.
    package var body: [UInt8]

    /// Creates an answer. Without a content type the body is JSON.
    package init(status: Int = 200, contentType: String = "application/json", body: [UInt8]) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// A value as JSON, members sorted.
    package static func json(_ value: some Encodable, status: Int = 200) -> MonitorResponse {
        do {
            return MonitorResponse(status: status, body: try StoreJSON.encode(value))
        } catch {
            return .text("this page cannot be written as JSON: \(error)\n", status: 500)
        }
    }

    /// Plain text.
    package static func text(_ text: String, status: Int = 200) -> MonitorResponse {
        MonitorResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }

    /// The whole answer as bytes. The connection is closed after it.
    func encoded(isHead: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\nContent-Type: \(contentType)\r\n"
        head += "Content-Length: \(body.count)\r\nCache-Control: no-store\r\nConnection: close\r\n"
        if status == 405 { head += "Allow: GET, HEAD\r\n" }
        return Array("\(head)\r\n".utf8) + (isHead ? [] : body)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        default: status < 400 ? "OK" : "Error"
        }
    }
}
