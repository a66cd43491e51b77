import StoreModels

/// One running process of a service, as it told the bus (`GET /admin/v1/services`).
struct BusInstance: Hashable, Sendable {
    struct Endpoint: Hashable, Sendable {
        var name: String
        var subject: String
        var requests: Int
        var errors: Int
        /// As the answer has it, in milliseconds.
        var averageProcessingMs: String
        var lastError: String
    }

    struct Check: Hashable, Sendable {
        var name: String
        var status: String
        var message: String
    }

    var service: String
    var instance: String
    var version: String
    /// `pass`, `warn`, `fail`.
    var status: String
    var startedAt: Timestamp?
    var checks: [Check]
    var endpoints: [Endpoint]
    /// The whole of it, for `-o json`.
    var json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
        service = json["name"]?.stringValue ?? "-"
        instance = json["id"]?.stringValue ?? "-"
        version = json["version"]?.stringValue ?? "-"
        status = json["status"]?.stringValue ?? "-"
        startedAt = json["startedAt"]?.stringValue.flatMap { Timestamp($0) }
        checks = (json["checks"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { name, check in
            Check(
                name: name, status: check["status"]?.stringValue ?? "-",
                message: check["message"]?.stringValue ?? "")
        }
        endpoints = (json["endpoints"]?.arrayValue ?? []).map(Endpoint.init)
    }

    /// Everybody on the bus, by service and then by instance.
    static func all(_ answer: JSONValue) -> [BusInstance] {
        (answer["services"]?.arrayValue ?? []).map(BusInstance.init)
            .sorted { ($0.service, $0.instance) < ($1.service, $1.instance) }
    }
}

extension BusInstance.Endpoint {
    fileprivate init(_ json: JSONValue) {
        name = json["name"]?.stringValue ?? "-"
        subject = json["subject"]?.stringValue ?? "-"
        requests = json["requests"]?.intValue ?? 0
        errors = json["errors"]?.intValue ?? 0
        if case .number(let text)? = json["averageProcessingMs"] {
            averageProcessingMs = text
        } else {
            averageProcessingMs = "-"
        }
        lastError = json["lastError"]?.stringValue ?? ""
    }
}
