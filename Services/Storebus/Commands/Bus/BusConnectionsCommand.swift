import ArgumentParser
import BusClient
import StoreModels

extension BusCommand {
    /// `storebus bus connections`
    struct Connections: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "connections", abstract: "List who is connected, or was, and why not any more.",
            discussion: """
                storebus bus connections
                storebus bus connections --sort pending
                storebus bus connections --state closed --sort stop
                """, aliases: ["conns"])

        @Option(
            help: ArgumentHelp("open, closed (the last 1000) or any.", valueName: "state"),
            completion: .list(Self.states))
        var state = "open"

        @Option(
            help: ArgumentHelp("\(Self.orders.joined(separator: ", ")).", valueName: "order"),
            completion: .list(Self.orders))
        var sort = "cid"

        @Flag(help: "With the patterns each has subscribed to.")
        var subs = false

        @OptionGroup var bus: BusJoinOptions

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
            try await bus.join { client, context throws(CLIError) in
                let page = try await BusPages.connections(client, query, timeout: bus.answerTime)
                context.print(BusTables.connections(page))
            }
        }
    }
}

/// The broker's pages, asked for over the bus.
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
        let answer = try await asking { () throws(BusError) in
            try await bus.request(
                "$SYS.REQ.\(name)", body: Array(JSONText.line(query).utf8), timeout: timeout)
        }
        guard let page = try? StrictJSON.parse(answer.body) else {
            throw CLIError(.answerInvalid, "the broker's answer about \(name) is no JSON")
        }
        return page
    }
}

extension BusTables {
    /// One row a connection, in the broker's order.
    static func connections(_ connections: [JSONValue]) -> Answer {
        var table = Table([
            .init("CID", .right), .init("NAME"), .init("USER"), .init("ADDRESS"), .init("UPTIME"),
            .init("SUBS", .right),
            .init("PENDING", .right), .init("MSGS TO", .right), .init("MSGS FROM", .right), .init("REASON"),
        ])
        for one in connections {
            func number(_ name: String) -> String { "\(one[name]?.intValue ?? 0)" }
            func word(_ name: String) -> String { one[name]?.stringValue ?? "-" }
            table.add([
                number("cid"), word("name"), word("authorized_user"), "\(word("ip")):\(number("port"))", word("uptime"),
                number("subscriptions"), number("pending_bytes"), number("out_msgs"), number("in_msgs"),
                one["reason"]?.stringValue ?? "",
            ])
        }
        return Answer(
            table, items: connections, names: connections.map { "\($0["cid"]?.intValue ?? 0)" },
            next: "storebus bus top", ifEmpty: "there is no such connection")
    }
}
