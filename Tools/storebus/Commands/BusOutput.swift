import BusClient
import BusProtocol
import StoreHTTP
import StoreModels

/// The services as `storebus bus` shows them.
enum BusTables {
    /// One row a service.
    static func list(_ instances: [BusInstance], missing: [String]) -> CommandResult {
        var table = Table(["SERVICE", .right("INSTANCES"), .state("HEALTH"), "VERSION"])
        var items: [JSONValue] = []
        let byService = Dictionary(grouping: instances, by: \.service)
        let services = (Array(byService.keys) + missing).sorted()
        for service in services {
            let all = byService[service] ?? []
            let health = worst(all.map(\.health))
            let versions = Array(Set(all.map(\.release))).sorted()
            table.add([service, "\(all.count)", health, versions.joined(separator: ", ")])
            items.append(
                .object([
                    "service": .string(service), "instanceCount": .integer(all.count), "health": .string(health),
                    "versions": .array(versions.map { .string($0) }), "instances": .array(all.map(\.json)),
                ]))
        }
        return CommandResult(
            table, items: items, names: services, next: "storebus bus stats", ifEmpty: "no services connected")
    }

    /// One row an endpoint.
    static func info(_ instances: [BusInstance]) -> CommandResult {
        var table = Table(["SERVICE", "INSTANCE", "VERSION", "STARTED", "ENDPOINT", "SUBJECT"])
        for one in instances {
            let start = [one.service, one.instance, one.release, one.startedAt.map(Format.time) ?? "-"]
            for endpoint in one.endpoints { table.add(start + [endpoint.name, endpoint.subject ?? "-"]) }
            if one.endpoints.isEmpty { table.add(start + ["-", "-"]) }
        }
        return result(table, instances)
    }

    /// One row an endpoint.
    static func stats(_ instances: [BusInstance]) -> CommandResult {
        var table = Table([
            "SERVICE", "INSTANCE", "ENDPOINT", .right("REQUESTS"), .right("ERRORS"), .right("AVERAGE MS"),
            "LAST ERROR",
        ])
        for one in instances {
            for endpoint in one.endpoints {
                table.add([
                    one.service, one.instance, endpoint.name, "\(endpoint.requests ?? 0)", "\(endpoint.errors ?? 0)",
                    endpoint.averageProcessingMs.map { JSONText.line(JSONText.value($0)) } ?? "-",
                    endpoint.lastError ?? "",
                ])
            }
        }
        return result(table, instances)
    }

    /// One row a check.
    static func health(_ instances: [BusInstance], missing: [String]) -> CommandResult {
        var table = Table(["SERVICE", "INSTANCE", "CHECK", .state("STATUS"), "MESSAGE"])
        for one in instances {
            for (name, check) in one.checks.sorted(by: { $0.key < $1.key }) {
                table.add([one.service, one.instance, name, check.status?.rawValue ?? "-", check.message ?? ""])
            }
            if one.checks.isEmpty { table.add([one.service, one.instance, "-", one.health, ""]) }
        }
        var items = instances.map(\.json)
        for service in missing {
            table.add([service, "-", "-", "away", "no instance answers"])
            items.append(["name": .string(service), "status": "away", "message": "no instance answers"])
        }
        return CommandResult(
            table, items: items, names: instances.map(\.instance), next: "storebus doctor",
            ifEmpty: "no services connected")
    }

    private static func result(_ table: Table, _ instances: [BusInstance]) -> CommandResult {
        CommandResult(
            table, items: instances.map(\.json), names: instances.map(\.instance), next: "storebus bus health",
            ifEmpty: instances.isEmpty ? "no services connected" : "no endpoints reported")
    }

    private static func worst(_ statuses: [String]) -> String {
        for status in ["fail", "warn", "pass"] where statuses.contains(status) { return status }
        return statuses.first ?? "away"
    }
}

/// Formats messages and times of the bus.
enum BusFormat {
    /// `0.42`: milliseconds with two digits.
    static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
        let digits = "\(hundredths % 100)"
        return "\(hundredths / 100).\(digits.count == 1 ? "0" : "")\(digits)"
    }

    /// `12.3`: a rate per second.
    static func rate(_ count: Int, in duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(1, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let tenths = Int64(count) * 10_000_000 / microseconds
        return "\(tenths / 10).\(tenths % 10)"
    }

    static func headers(_ options: BusHeaderOptions) -> BusHeaders {
        var headers = BusHeaders()
        for (name, value) in options.pairs { headers[name] = value }
        return headers
    }

    /// A body as JSON if it is JSON, or else as text.
    static func json(_ body: [UInt8]) -> JSONValue {
        (try? StrictJSON.parse(body)) ?? .string(String(decoding: body, as: UTF8.self))
    }

    /// `{"at":"…","body":{…},"headers":{…},"reply":"_INBOX.x.1","subject":"sb.catalog.v1.products.get"}`
    static func json(_ message: BusMessage, at now: Timestamp) -> JSONValue {
        var members: [String: JSONValue] = [
            "at": .string(now.description), "subject": .string(message.subject), "headers": json(message.headers),
            "body": json(message.body),
        ]
        if let reply = message.reply { members["reply"] = .string(reply) }
        if let key = message.key { members["key"] = .string(key) }
        return .object(members)
    }

    static func json(_ headers: BusHeaders) -> JSONValue {
        .object(Dictionary(headers.map { ($0.name, .string($0.value)) }, uniquingKeysWith: { $1 }))
    }
}

/// One process of a service, from `GET /admin/v1/services`.
@dynamicMemberLookup
struct BusInstance: Hashable, Sendable {
    private let process: ServicesResponse.Instance
    /// The whole entry, for `-o json`.
    let json: JSONValue

    subscript<Member>(dynamicMember member: KeyPath<ServicesResponse.Instance, Member>) -> Member {
        process[keyPath: member]
    }

    var service: String { process.name }
    var instance: String { process.id }
    /// The version as tables have it.
    var release: String { process.version ?? "-" }
    /// `pass`, `warn`, `fail`.
    var health: String { process.status?.rawValue ?? "-" }

    /// All instances on the bus, by service and then by instance.
    static func all(_ response: Received<ServicesResponse>) -> [BusInstance] {
        zip(response.services, response.json["services"]?.arrayValue ?? [])
            .map { BusInstance(process: $0, json: $1) }
            .sorted { ($0.service, $0.instance) < ($1.service, $1.instance) }
    }
}
