import ArgumentParser
import BusClient
import BusService
import StoreModels

extension BusCommand {
    /// `storebus bus connections`
    struct Connections: BusJoinCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "connections", "List connections, open and closed, and why they closed.",
            """
            storebus bus connections
            storebus bus connections --sort pending
            storebus bus connections --state closed --sort stop
            """, aliases: ["conns"])

        @Option("open, closed (the last 1000) or any.", "state", .list(Self.states)) var state = "open"
        @Option("\(Self.orders.joined(separator: ", ")).", "order", .list(Self.orders)) var sort = "cid"
        @Flag(help: "Also list the patterns that each connection subscribes to.") var subs = false
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        private static let states = ["open", "closed", "any"]
        private static let orders = [
            "cid", "start", "subs", "pending", "msgs_to", "msgs_from", "bytes_to", "bytes_from", "last", "idle",
            "uptime",
            "stop", "reason",
        ]

        func validate() throws {
            try Choice.check("--state", state, among: Self.states)
            try Choice.check("--sort", sort, among: Self.orders)
        }

        func run() async throws {
            let query: JSONValue = ["state": .string(state), "sort": .string(sort), "subs": .bool(subs)]
            try await join { client, context throws(CLIError) in
                let page = try await BusPages.connections(client, query, timeout: replyTimeout)
                context.print(BusTables.connections(page))
            }
        }
    }
}

/// Requests the broker's monitoring pages over the bus.
enum BusPages {
    static func connections(
        _ bus: any BusClient, _ query: JSONValue, timeout: Duration
    ) async throws(CLIError) -> [JSONValue] {
        try await page("CONNZ", bus, query, timeout)["connections"]?.arrayValue ?? []
    }

    static func broker(_ bus: any BusClient, timeout: Duration) async throws(CLIError) -> JSONValue {
        try await page("VARZ", bus, [:], timeout)
    }

    private static func page(
        _ name: String, _ bus: any BusClient, _ query: JSONValue, _ timeout: Duration
    ) async throws(CLIError) -> JSONValue {
        try bus.requireSystemSubjects()
        let response = try await callingBus { () throws(BusError) in
            try await bus.request(
                "$SYS.REQ.\(name)", body: Array(JSONText.line(query).utf8), timeout: timeout)
        }
        guard let page = try? StrictJSON.parse(response.body) else {
            throw CLIError(.answerInvalid, "the broker's answer about \(name) is not JSON")
        }
        return page
    }
}

extension BusTables {
    /// One row a connection, in the broker's order.
    static func connections(_ connections: [JSONValue]) -> CommandResult {
        let columns: [Table.Column] = [
            .right("CID"), "NAME", "USER", "ADDRESS", "UPTIME", .right("SUBS"), .right("PENDING"), .right("MSGS TO"),
            .right("MSGS FROM"), "REASON",
        ]
        return CommandResult(
            connections, columns, named: { "\($0["cid"]?.intValue ?? 0)" }, json: { $0 }, next: "storebus bus top",
            ifEmpty: "there is no such connection"
        ) { one in
            func number(_ name: String) -> String { "\(one[name]?.intValue ?? 0)" }
            func word(_ name: String) -> String { one[name]?.stringValue ?? "-" }
            return [
                number("cid"), word("name"), word("authorized_user"), "\(word("ip")):\(number("port"))", word("uptime"),
                number("subscriptions"), number("pending_bytes"), number("out_msgs"), number("in_msgs"),
                one["reason"]?.stringValue ?? "",
            ]
        }
    }
}

extension BusCommand {
    /// `storebus bus top`
    struct Top: BusJoinCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "top", "Show the busiest subjects: requests a second.",
            """
            storebus bus top
            storebus bus top --interval 5s --count 1 -o json

            On a terminal, refreshes until Ctrl-C. Elsewhere, or with -o json, prints once. The rates are for the \
            interval between two readings.
            """)

        @Option("The time between two readings.", "time") var interval = TimeLimit(.seconds(1))
        @Option("End after this many rounds.", "number") var count: Int?
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if let count, count < 1 { throw ValidationError("--count is 1 or more") }
            if interval.duration < .milliseconds(100) { throw ValidationError("--interval is 100ms or more") }
        }

        func run() async throws {
            try await join { client, context throws(CLIError) in
                let isLive = context.environment.terminal.isOutput && context.format == .human
                let looks = count ?? (isLive ? .max : 1)
                var before = try await BusSnapshot.look(client, replyTimeout)
                for look in 0..<looks where !Task.isCancelled {
                    try? await ContinuousClock().sleep(for: interval.duration)
                    let now = try await BusSnapshot.look(client, replyTimeout)
                    // Moves the cursor home and clears below it, so that the table is redrawn in place.
                    if isLive { context.console.result(look == 0 ? "\u{1B}[2J\u{1B}[H" : "\u{1B}[H\u{1B}[J") }
                    context.print(now.result(since: before))
                    before = now
                }
            }
        }
    }
}

/// A snapshot of the counters of the broker and the services.
struct BusSnapshot: Sendable {
    let at: ContinuousClock.Instant
    let broker: JSONValue
    let services: [StatsResponse]

    static func look(_ bus: any BusClient, _ timeout: Duration) async throws(CLIError) -> BusSnapshot {
        let broker = try await BusPages.broker(bus, timeout: timeout)
        let services = try await callingBus { () throws(BusError) in try await ServiceDiscovery(bus).stats() }
        return BusSnapshot(at: .now, broker: broker, services: services)
    }

    /// One row an endpoint of an instance, the busiest first.
    func result(since before: BusSnapshot) -> CommandResult {
        let time = at - before.at
        var table = Table([
            "SERVICE", "INSTANCE", "SUBJECT", .right("REQ/S"), .right("ERR/S"), .right("REQUESTS"), .right("ERRORS"),
            .right("AVERAGE MS"),
        ])
        var items: [JSONValue] = []
        for row in rows(since: before) {
            let (service, endpoint) = (row.service, row.endpoint)
            let rates = (BusFormat.rate(row.requests, in: time), BusFormat.rate(row.errors, in: time))
            let average = BusFormat.milliseconds(.nanoseconds(endpoint.averageProcessingTime))
            table.add([
                service.name, service.id, endpoint.subject, rates.0, rates.1, "\(endpoint.requests)",
                "\(endpoint.errors)", average,
            ])
            items.append([
                "service": .string(service.name), "instance": .string(service.id), "subject": .string(endpoint.subject),
                "requestsPerSecond": .number(rates.0), "errorsPerSecond": .number(rates.1),
                "requests": .integer(endpoint.requests), "errors": .integer(endpoint.errors),
                "averageProcessingMs": .number(average),
            ])
        }
        let facts = brokerFacts(since: before, time)
        let rows = table
        return CommandResult(data: ["broker": facts.json, "endpoints": .array(items)], names: services.map(\.id)) {
            style in
            facts.text + (rows.rows.isEmpty ? "no service is on the bus\n" : rows.text(style))
        }
    }

    private struct Row {
        let service: StatsResponse
        let endpoint: StatsResponse.EndpointStats
        let requests: Int
        let errors: Int
    }

    private func rows(since before: BusSnapshot) -> [Row] {
        let old = Dictionary(
            before.services.flatMap { service in service.endpoints.map { ([service.id, $0.subject], $0) } },
            uniquingKeysWith: { $1 })
        return services.flatMap { service in
            service.endpoints.map { endpoint in
                let earlier = old[[service.id, endpoint.subject]]
                return Row(
                    service: service, endpoint: endpoint, requests: endpoint.requests - (earlier?.requests ?? 0),
                    errors: endpoint.errors - (earlier?.errors ?? 0))
            }
        }.sorted {
            ($1.requests, $0.service.name, $0.endpoint.subject) < ($0.requests, $1.service.name, $1.endpoint.subject)
        }
    }

    private func brokerFacts(since before: BusSnapshot, _ time: Duration) -> (text: String, json: JSONValue) {
        func number(_ name: String) -> Int { broker[name]?.intValue ?? 0 }
        func rate(_ name: String) -> String {
            BusFormat.rate(number(name) - (before.broker[name]?.intValue ?? 0), in: time)
        }
        let (messagesIn, messagesOut) = (rate("in_msgs"), rate("out_msgs"))
        let text =
            "\(number("connections")) connections, \(number("subscriptions")) subscriptions, "
            + "\(messagesIn) messages/s in, \(messagesOut) out, \(number("pending_bytes")) bytes pending, "
            + "loop lag \(number("loop_lag_us")) us\n"
        return (
            text,
            [
                "connections": .integer(number("connections")), "subscriptions": .integer(number("subscriptions")),
                "messagesInPerSecond": .number(messagesIn), "messagesOutPerSecond": .number(messagesOut),
                "pendingBytes": .integer(number("pending_bytes")),
                "loopLagMicroseconds": .integer(number("loop_lag_us")),
            ]
        )
    }
}
