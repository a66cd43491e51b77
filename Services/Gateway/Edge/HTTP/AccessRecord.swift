import BusService
import EventLoop
import HTTPTypes
import Logging
import Metrics
import StoreHTTP
import StoreModels
import Synchronization

/// An app's server that calls Apple's paths, as AppStoreServer has found it.
struct ServerCaller: Sendable {
    /// The app of its key.
    var bundleId: String?
    /// Why its token was refused.
    var reason: String?
}

/// The log line and the metric labels of one request. Paths are logged without their query and without accounts, which
/// may be people's names. Headers and bodies are never logged.
struct AccessRecord {
    let method: HTTPRequest.Method
    let path: String
    let traceID: String
    /// The route's template. Nil when no route was found.
    private(set) var route: String?
    /// The callers of the route. Nil when no route was found.
    private(set) var access: Access?
    /// Method and template of the route.
    private var endpoint: String?
    private var hasPrivatePath = false
    /// Whether its span is kept. Streams, files of the console, and what monitoring asks for would displace requests.
    private var isTraced = false
    /// The identifiers in the path.
    var parameters: [PathParameter: String] = [:]
    var principal = Principal.anonymous
    /// The isolated store that the request is about. Nil for the installation.
    var store: IsolatedApp?
    /// The problem's code. Nil for a successful request.
    var code: StoreErrorCode?
    /// The caller of Apple's paths.
    var serverCaller = ServerCaller()
    private(set) var status = 0
    private(set) var duration = Duration.zero

    init(method: HTTPRequest.Method, path: String, traceID: String) {
        self.method = method
        self.path = path
        self.traceID = traceID
    }

    /// Notes the route of the request.
    mutating func found(_ route: Route) {
        (self.route, access) = (route.path, route.access)
        (endpoint, hasPrivatePath) = (route.logName, route.hasPrivatePath)
        isTraced =
            route.operation.urgency != .unlimited && route.access != .open && route.operation != TraceRoutes.list.route
    }

    mutating func finish(status: HTTPResponse.Status, duration: Duration) {
        self.status = status.code
        self.duration = duration
    }

    /// Maximum length of an identifier in a span, in bytes.
    private static let notedBytesMax = 255

    /// Ends the request's span, which has the route's template for its name.
    func end(_ span: RecordedSpan) {
        // Who is not known displaces nothing.
        guard isTraced, status != HTTPResponse.Status.unauthorized.code else { return }
        span.operationName = endpoint ?? "\(method) \(route ?? "-")"
        span.note("http.response.status_code", "\(status)")
        if let store { span.note("storebus.store", store.store) }
        // A look at a thing is no part of its course.
        if !hasPrivatePath, method != .get {
            for (name, value) in parameters where value.utf8.count <= Self.notedBytesMax {
                span.note("storebus.\(name.rawValue)", value)
            }
        }
        span.end(error: code?.name)
    }

    var milliseconds: Double { Double(duration / .microseconds(1)) / 1000 }

    /// Logs the request. Costs nothing when the level is not logged.
    func log(to logger: Logger) {
        let level: Logger.Level = status >= 500 ? .warning : .info
        guard logger.logLevel <= level else { return }
        var fields = metadata
        fields["status"] = .string(String(status))
        fields["durationMs"] = .string("\(milliseconds)")
        if let code { fields["code"] = .string("\(code)") }
        if let reason = serverCaller.reason { fields["reason"] = .string(Self.printable(reason)) }
        logger.log(level: level, "request", metadata: fields)
    }

    /// Log metadata that identifies the request.
    var metadata: Logger.Metadata {
        var fields = Logger.Metadata(minimumCapacity: 12)
        fields["traceID"] = .string(traceID)
        fields["endpoint"] = .string(endpoint ?? "\(method) \(route ?? "-")")
        fields["path"] = .string(Self.printable(loggedPath))
        if let store { fields["store"] = .string(store.store) }
        switch principal {
        case .session(let session):
            fields["bundleId"] = .string(session.bundleId)
            fields["customerIdentifier"] = .string(session.customerIdentifier)
            fields["deviceId"] = .string(Self.printable(session.deviceId))
        case .server(let key): fields["bundleId"] = .string(key.bundleId)
        case .admin, .storeAdmin, .anonymous:
            if let bundleId = serverCaller.bundleId { fields["bundleId"] = .string(bundleId) }
        }
        return fields
    }

    /// The path without parts that may be a person's name or a secret (S20): with an account, a family or a code it is
    /// the route's template, and without a route, where any part may be one, its first two parts.
    private var loggedPath: String {
        if let route { return hasPrivatePath ? route : path }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 3 else { return path }
        return parts.prefix(3).map { String(Substring($0)) }.joined(separator: "/") + "/..."
    }

    /// Limits text to 256 printable ASCII characters. Clients cannot write lines or terminal commands into the log
    /// (S20).
    private static func printable(_ text: String) -> String {
        // The fast path: nearly every text needs no change.
        if text.utf8.count <= 256, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return String(text.unicodeScalars.prefix(256).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}

/// The gateway's HTTP metrics. Labels come from the route table and from short lists, never from a client, so their
/// number is bounded.
final class HTTPMetrics: Sendable {
    private struct Labels: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        let total: Counter
        let duration: Timer
    }

    private let active = Atomic(0)
    private let known = Locked<[Labels: Series]>([:])
    private let activeGauge = Gauge(label: "storebus_http_requests_active")

    func began() {
        activeGauge.record(active.add(1, ordering: .relaxed).newValue)
    }

    func ended(_ record: AccessRecord) {
        activeGauge.record(active.subtract(1, ordering: .relaxed).newValue)
        let series = series(
            Labels(route: record.route ?? "unmatched", method: Self.label(record.method), status: record.status))
        series.total.increment()
        series.duration.recordNanoseconds(Int64(record.duration / .nanoseconds(1)))
    }

    /// Returns the cached series of these labels. Labels are not formatted with every request.
    private func series(_ labels: Labels) -> Series {
        known.withLock { known in
            if let series = known[labels] { return series }
            let series = Series(
                total: Counter(
                    label: "storebus_http_requests_total",
                    dimensions: [("route", labels.route), ("method", labels.method), ("code", "\(labels.status)")]),
                duration: Timer(
                    label: "storebus_http_request_duration_seconds", dimensions: [("route", labels.route)]))
            known[labels] = series
            return series
        }
    }

    private static func label(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .put, .post, .delete, .head, .options, .patch: method.rawValue
        default: "other"
        }
    }
}
