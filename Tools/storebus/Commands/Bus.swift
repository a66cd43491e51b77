import ArgumentParser
import BusClient
import BusProtocol
import BusService
import StoreHTTP
import StoreModels

/// `storebus bus …`
struct BusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus", abstract: "See the services on the bus, their health, and their messages.",
        discussion: """
            storebus bus ls
            storebus bus stats payment-queue
            storebus bus trace 'sb.payment.v1.>'

            ls, info, stats, health and drain ask the gateway. The other commands connect to the bus directly, at the \
            address of the running store, of --bus-url or of BUS_URL.
            """,
        subcommands: [
            List.self, Info.self, Stats.self, Ping.self, Health.self, Request.self, Subscribe.self, Publish.self,
            Trace.self, Connections.self, Top.self, Drain.self, Bench.self,
        ])

    /// `storebus bus ls`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the services, with how many instances of each there are.",
            discussion: "storebus bus ls", aliases: ["list"])

        @OptionGroup var options: BusOptions

        func run() async throws {
            let (context, instances, missing) = try await options.ask()
            context.print(BusTables.list(instances, missing: missing))
        }
    }

    /// `storebus bus info`
    struct Info: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "List every instance with the subjects it answers.",
            discussion: "storebus bus info catalog")

        @OptionGroup var options: BusOptions

        func run() async throws {
            let (context, instances, _) = try await options.ask()
            context.print(BusTables.info(instances))
        }
    }

    /// `storebus bus stats`
    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "Count requests, errors and time, by instance and endpoint.",
            discussion: "storebus bus stats payment-queue")

        @OptionGroup var options: BusOptions

        func run() async throws {
            let (context, instances, _) = try await options.ask()
            context.print(BusTables.stats(instances))
        }
    }

    /// `storebus bus health`
    struct Health: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "health", abstract: "Show every instance's checks. Exits with 75 when one fails.",
            discussion: "storebus bus health")

        @OptionGroup var options: BusOptions

        func run() async throws {
            let (context, instances, missing) = try await options.ask()
            context.print(BusTables.health(instances, missing: missing))
            if !missing.isEmpty || instances.contains(where: { $0.health == "fail" }) {
                throw QuietExit(status: .temporary)
            }
        }
    }
}

/// Options that select services.
struct BusOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Only these services.", valueName: "service"), completion: Completion.services)
    var services: [String] = []

    @OptionGroup var global: GlobalOptions

    func ask() async throws(CLIError) -> (CommandContext, [BusInstance], missing: [String]) {
        let context = try CommandContext.find(global)
        let known = ServiceName.rawValues
        for service in services where !known.contains(service) {
            let near = Suggestion.hints(for: service, among: known)
            throw CLIError(
                .usage, "there is no service '\(service)'",
                hints: near + ["they are \(known.joined(separator: ", "))"])
        }
        let response = try await context.api.received(MonitoringRoutes.services)
        func isMeant(_ service: String) -> Bool { services.isEmpty || services.contains(service) }
        return (
            context, BusInstance.all(response).filter { isMeant($0.service) },
            response.missing.filter(isMeant)
        )
    }
}

extension BusCommand {
    /// `storebus bus ping`
    struct Ping: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ping", abstract: "Measure the way to every instance and back.",
            discussion: """
                storebus bus ping
                storebus bus ping catalog

                Discovers the instances ($SRV.PING), then asks each one. Exits with 75 when no service answers.
                """)

        @Argument(help: ArgumentHelp("Only this service.", valueName: "service"), completion: Completion.services)
        var service: String?

        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            let isComplete = try await bus.join { client, context throws(CLIError) in
                let discovery = ServiceDiscovery(client)
                let instances = try await callingBus { () throws(BusError) in try await discovery.ping(service) }
                guard !instances.isEmpty else {
                    throw CLIError(
                        .noResponders, service.map { "no instance of '\($0)' answers" } ?? "no services connected",
                        hints: ["who is there: storebus bus ls"], retryable: true)
                }
                var report = PingReport()
                for instance in instances {
                    let subject = "$SRV.PING.\(instance.name).\(instance.id)"
                    let began = ContinuousClock.now
                    let reply: BusMessage? = try? await client.request(subject, timeout: bus.replyTimeout)
                    report.add(instance, reply == nil ? nil : ContinuousClock.now - began)
                }
                context.print(report.result)
                return report.isComplete
            }
            if !isComplete { throw QuietExit(status: .temporary) }
        }
    }
}

/// The result of `bus ping`.
private struct PingReport {
    private var table = Table(["SERVICE", "INSTANCE", "VERSION", .right("ROUND TRIP MS")])
    private var items: [JSONValue] = []
    private var names: [String] = []
    /// Whether every instance has answered.
    private(set) var isComplete = true

    mutating func add(_ instance: PingResponse, _ time: Duration?) {
        let milliseconds = time.map(BusFormat.milliseconds)
        table.add([instance.name, instance.id, instance.version, milliseconds ?? "no answer"])
        items.append([
            "service": .string(instance.name), "instance": .string(instance.id), "version": .string(instance.version),
            "roundTripMs": milliseconds.map { .number($0) } ?? .null,
        ])
        names.append(instance.id)
        if time == nil { isComplete = false }
    }

    var result: CommandResult {
        CommandResult(table, items: items, names: names, next: "storebus bus stats", ifEmpty: "no services connected")
    }
}

extension BusCommand {
    /// `storebus bus req`
    struct Request: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "req", abstract: "Send a request and print its answer.",
            discussion: """
                storebus bus req '$SRV.INFO.catalog' '{}'
                storebus bus req sb.catalog.v1.storefronts.list '{}' --timeout 2s

                Exits with 1 when the answer is an error, and with 75 when no service takes the subject or answers in \
                time (5s unless --timeout says otherwise).
                """)

        @Argument(help: ArgumentHelp("The subject.", valueName: "subject"))
        var subject: String

        @Argument(help: ArgumentHelp("The body.", valueName: "body"))
        var body: String = ""

        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            let isError = try await bus.join { client, context throws(CLIError) in
                let began = ContinuousClock.now
                let reply = try await callingBus { () throws(BusError) in
                    try await client.request(
                        subject, body: Array(body.utf8), headers: BusFormat.headers(headers), timeout: bus.replyTimeout)
                }
                let time = BusFormat.milliseconds(ContinuousClock.now - began)
                context.print(Self.result(reply, time))
                return reply.headers[BusHeader.natsServiceError] != nil
            }
            if isError { throw QuietExit(status: .refused) }
        }

        private static func result(_ reply: BusMessage, _ time: String) -> CommandResult {
            let problem = reply.headers[BusHeader.natsServiceError].map { sentence -> Advice in
                "an error: \(reply.headers[BusHeader.natsServiceErrorCode] ?? "-") \(sentence)"
            }
            return CommandResult(
                String(decoding: reply.body, as: UTF8.self) + "\n",
                data: [
                    "body": BusFormat.json(reply.body), "headers": BusFormat.json(reply.headers),
                    "roundTripMs": .number(time),
                ], notes: ["answered in \(time) ms"] + (problem.map { [$0] } ?? []))
        }
    }

    /// `storebus bus pub`
    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pub", abstract: "Publish a message. It needs no subscriber.",
            discussion: """
                storebus bus pub lunch.ready '{"table":4}'
                """)

        @Argument(help: ArgumentHelp("The subject.", valueName: "subject"))
        var subject: String

        @Argument(help: ArgumentHelp("The body.", valueName: "body"))
        var body: String = ""

        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            try await bus.join { client, context throws(CLIError) in
                try await callingBus { () throws(BusError) in
                    try client.publish(subject, body: Array(body.utf8), headers: BusFormat.headers(headers))
                    try await client.flush(timeout: bus.replyTimeout)
                }
                let bytes = body.utf8.count
                context.print(
                    "published \(bytes) bytes to \(subject)\n",
                    data: ["subject": .string(subject), "bytes": .integer(bytes)], names: [subject])
            }
        }
    }
}
