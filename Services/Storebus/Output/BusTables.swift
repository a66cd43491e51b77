import StoreModels

/// The services as `storebus bus` shows them.
enum BusTables {
    /// One row a service.
    static func list(_ instances: [BusInstance], missing: [String]) -> Answer {
        var table = Table([
            .init("SERVICE"), .init("INSTANCES", .right), .init("HEALTH", isState: true), .init("VERSION"),
        ])
        var items: [JSONValue] = []
        let byService = Dictionary(grouping: instances, by: \.service)
        let services = (Array(byService.keys) + missing).sorted()
        for service in services {
            let all = byService[service] ?? []
            let health = worst(all.map(\.status))
            let versions = Array(Set(all.map(\.version))).sorted()
            table.add([service, "\(all.count)", health, versions.joined(separator: ", ")])
            items.append(
                .object([
                    "service": .string(service), "instanceCount": .integer(all.count), "health": .string(health),
                    "versions": .array(versions.map { .string($0) }), "instances": .array(all.map(\.json)),
                ]))
        }
        return Answer(
            table, items: items, names: services, next: "storebus bus stats", ifEmpty: "nobody is on the bus")
    }

    /// One row an endpoint.
    static func info(_ instances: [BusInstance]) -> Answer {
        var table = Table([
            .init("SERVICE"), .init("INSTANCE"), .init("VERSION"), .init("STARTED"), .init("ENDPOINT"),
            .init("SUBJECT"),
        ])
        for one in instances {
            let start = [one.service, one.instance, one.version, one.startedAt.map(Words.time) ?? "-"]
            for endpoint in one.endpoints { table.add(start + [endpoint.name, endpoint.subject]) }
            if one.endpoints.isEmpty { table.add(start + ["-", "-"]) }
        }
        return answer(table, instances)
    }

    /// One row an endpoint.
    static func stats(_ instances: [BusInstance]) -> Answer {
        var table = Table([
            .init("SERVICE"), .init("INSTANCE"), .init("ENDPOINT"), .init("REQUESTS", .right), .init("ERRORS", .right),
            .init("AVERAGE MS", .right), .init("LAST ERROR"),
        ])
        for one in instances {
            for endpoint in one.endpoints {
                table.add([
                    one.service, one.instance, endpoint.name, "\(endpoint.requests)", "\(endpoint.errors)",
                    endpoint.averageProcessingMs, endpoint.lastError,
                ])
            }
        }
        return answer(table, instances)
    }

    /// One row a check.
    static func health(_ instances: [BusInstance], missing: [String]) -> Answer {
        var table = Table([
            .init("SERVICE"), .init("INSTANCE"), .init("CHECK"), .init("STATUS", isState: true), .init("MESSAGE"),
        ])
        for one in instances {
            for check in one.checks { table.add([one.service, one.instance, check.name, check.status, check.message]) }
            if one.checks.isEmpty { table.add([one.service, one.instance, "-", one.status, ""]) }
        }
        var items = instances.map(\.json)
        for service in missing {
            table.add([service, "-", "-", "away", "no instance answers"])
            items.append(["name": .string(service), "status": "away", "message": "no instance answers"])
        }
        return Answer(
            table, items: items, names: instances.map(\.instance), next: "storebus doctor",
            ifEmpty: "nobody is on the bus")
    }

    private static func answer(_ table: Table, _ instances: [BusInstance]) -> Answer {
        Answer(
            table, items: instances.map(\.json), names: instances.map(\.instance), next: "storebus bus health",
            ifEmpty: instances.isEmpty ? "nobody is on the bus" : "nobody told of endpoints")
    }

    private static func worst(_ statuses: [String]) -> String {
        for status in ["fail", "warn", "pass"] where statuses.contains(status) { return status }
        return statuses.first ?? "away"
    }
}
