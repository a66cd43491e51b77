import StoreModels

/// One running process of a service, as it told the bus (`GET /admin/v1/services`).
package struct BusInstance: Hashable, Sendable {
    package struct Endpoint: Hashable, Sendable {
        package var name: String
        package var subject: String
        package var requests: Int
        package var errors: Int
        /// As the answer has it, in milliseconds.
        package var averageProcessingMs: String
        package var lastError: String
    }

    package struct Check: Hashable, Sendable {
        package var name: String
        package var status: String
        package var message: String
    }

    package var service: String
    package var instance: String
    package var version: String
    /// `pass`, `warn`, `fail`.
    package var status: String
    package var startedAt: Timestamp?
    package var checks: [Check]
    package var endpoints: [Endpoint]
    /// The whole of it, for `-o json`.
    package var json: JSONValue

    package init(_ json: JSONValue) {
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
    package static func all(_ answer: JSONValue) -> [BusInstance] {
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
