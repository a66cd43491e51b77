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

    /// Costs nothing when the level is not logged.
    func log(to logger: Logger) {
        let level: Logger.Level = status >= 500 ? .warning : .info
        guard logger.logLevel <= level else { return }
        var fields = metadata
        fields["status"] = "\(status)"
        fields["durationMs"] = "\(milliseconds)"
        if let code { fields["code"] = "\(code)" }
        logger.log(level: level, "request", metadata: fields)
    }

    /// Which request it is.
    var metadata: Logger.Metadata {
        var fields: Logger.Metadata = [
            "traceID": "\(traceID)", "endpoint": "\(method) \(route ?? "-")", "path": "\(Self.printable(path))",
        ]
        switch principal {
        case .session(let session):
            fields["bundleId"] = "\(session.bundleId)"
            fields["customerIdentifier"] = "\(session.customerIdentifier)"
            fields["deviceId"] = "\(Self.printable(session.deviceId))"
        case .server(let key): fields["bundleId"] = "\(key.bundleId)"
        case .admin, .anonymous: break
        }
        return fields
    }

    /// At most 256 characters of ASCII, so that nobody writes lines or terminal commands into the log (S20).
    private static func printable(_ text: String) -> String {
        // Nearly every text is fine as it is, and its bytes say so.
        if text.utf8.count <= 256, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return String(text.unicodeScalars.prefix(256).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}
