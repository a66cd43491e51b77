import HTTPTypes
import Logging
import StoreModels

/// What one request leaves behind: a log line and the labels of its metrics. Paths are logged without their query, and
/// nothing of a header or a body is.
struct AccessRecord {
    let method: HTTPRequest.Method
    let path: String
    let traceID: String
    /// The template; nil when no route was found.
    var route: String?
    var principal = Principal.anonymous
    /// The problem's code; nil when all went well.
    var code: StoreErrorCode?
    private(set) var status = 0
    private(set) var duration = Duration.zero

    init(method: HTTPRequest.Method, path: String, traceID: String) {
        self.method = method
        self.path = path
        self.traceID = traceID
    }

    mutating func finish(status: HTTPResponse.Status, duration: Duration) {
        self.status = status.code
        self.duration = duration
    }

    var milliseconds: Double { Double(duration / .microseconds(1)) / 1000 }

    func log(to logger: Logger) {
        var line = self.logger(from: logger)
        line[metadataKey: "status"] = "\(status)"
        line[metadataKey: "durationMs"] = "\(milliseconds)"
        if let code { line[metadataKey: "code"] = "\(code)" }
        line.log(level: status >= 500 ? .warning : .info, "request")
    }

    /// A logger that says which request it is.
    func logger(from logger: Logger) -> Logger {
        var logger = logger
        logger[metadataKey: "traceID"] = "\(traceID)"
        logger[metadataKey: "endpoint"] = "\(method) \(route ?? "-")"
        logger[metadataKey: "path"] = "\(Self.printable(path))"
        switch principal {
        case .session(let session):
            logger[metadataKey: "bundleId"] = "\(session.bundleId)"
            logger[metadataKey: "customerIdentifier"] = "\(session.customerIdentifier)"
            logger[metadataKey: "deviceId"] = "\(Self.printable(session.deviceId))"
        case .server(let key): logger[metadataKey: "bundleId"] = "\(key.bundleId)"
        case .admin, .anonymous: break
        }
        return logger
    }

    /// At most 256 characters of ASCII, so that nobody writes lines or terminal commands into the log (S20).
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(256).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
