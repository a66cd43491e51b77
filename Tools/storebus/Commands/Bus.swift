import ArgumentParser
import BusClient
import BusProtocol
import BusService
import StoreHTTP
import StoreModels

/// `storebus bus …`
struct BusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "bus", "See the services on the bus, their health, and their messages.",
        """
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
    struct List: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "ls", "List the services, with how many instances of each there are.", "storebus bus ls", aliases: ["list"])

        @OptionGroup var named: ServicesArgument
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let (instances, missing) = try await named.ask(context)
            context.print(BusTables.list(instances, missing: missing))
        }
    }

    /// `storebus bus info`
    struct Info: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "info", "List every instance with the subjects it answers.", "storebus bus info catalog")

        @OptionGroup var named: ServicesArgument
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let (instances, _) = try await named.ask(context)
            context.print(BusTables.info(instances))
        }
    }

    /// `storebus bus stats`
    struct Stats: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "stats", "Count requests, errors and time, by instance and endpoint.", "storebus bus stats payment-queue")

        @OptionGroup var named: ServicesArgument
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let (instances, _) = try await named.ask(context)
            context.print(BusTables.stats(instances))
        }
    }

    /// `storebus bus health`
    struct Health: ContextCommand, ReadingCommand {
        static let configuration = CommandConfiguration(
            "health", "Show every instance's checks. Exits with 75 when one fails.", "storebus bus health")

        @OptionGroup var named: ServicesArgument
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let (instances, missing) = try await named.ask(context)
            context.print(BusTables.health(instances, missing: missing))
            if !missing.isEmpty || instances.contains(where: { $0.health == "fail" }) {
                throw QuietExit(status: .temporary)
            }
        }
    }
}

/// The argument that selects services.
struct ServicesArgument: ParsableArguments {
    @Argument("Only these services.", "service", Completion.services) var services: [String] = []

    func ask(_ context: CommandContext) async throws(CLIError) -> ([BusInstance], missing: [String]) {
        let known = ServiceName.rawValues
        for service in services where !known.contains(service) {
            let near = Suggestion.hints(for: service, among: known)
            throw CLIError(
                .usage, "there is no service '\(service)'",
                hints: near + ["they are \(known.joined(separator: ", "))"])
        }
        let response = try await context.api.received(MonitoringRoutes.services)
        func isMeant(_ service: String) -> Bool { services.isEmpty || services.contains(service) }
        return (BusInstance.all(response).filter { isMeant($0.service) }, response.missing.filter(isMeant))
    }
}

extension BusCommand {
    /// `storebus bus ping`
    struct Ping: BusJoinCommand {
        static let configuration = CommandConfiguration(
            "ping", "Measure the way to every instance and back.",
            """
            storebus bus ping
            storebus bus ping catalog

            Discovers the instances ($SRV.PING), then asks each one. Exits with 75 when no service answers.
            """)

        @Argument("Only this service.", "service", Completion.services) var service: String?
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let isComplete = try await join { client, context throws(CLIError) in
                let discovery = ServiceDiscovery(client)
                let instances = try await callingBus { () throws(BusError) in try await discovery.ping(service) }
                guard !instances.isEmpty else {
                    throw CLIError(
                        .noResponders, service.map { "no instance of '\($0)' answers" } ?? "no services connected",
                        hints: ["who is there: storebus bus ls"], retryable: true)
                }
                var pings: [Pinged] = []
                for instance in instances {
                    let subject = "$SRV.PING.\(instance.name).\(instance.id)"
                    let began = ContinuousClock.now
                    let reply: BusMessage? = try? await client.request(subject, timeout: replyTimeout)
                    let time = reply.map { _ in BusFormat.milliseconds(ContinuousClock.now - began) }
                    pings.append(Pinged(instance: instance, milliseconds: time))
                }
                context.print(Self.result(pings))
                return pings.allSatisfy { $0.milliseconds != nil }
            }
            if !isComplete { throw QuietExit(status: .temporary) }
        }

        /// An instance with its round trip. Nil for one that has not answered.
        private struct Pinged {
            let instance: PingResponse
            let milliseconds: String?
        }

        private static func result(_ pings: [Pinged]) -> CommandResult {
            CommandResult(
                pings, ["SERVICE", "INSTANCE", "VERSION", .right("ROUND TRIP MS")], named: \.instance.id,
                json: {
                    [
                        "service": .string($0.instance.name), "instance": .string($0.instance.id),
                        "version": .string($0.instance.version),
                        "roundTripMs": $0.milliseconds.map { .number($0) } ?? .null,
                    ]
                }, next: "storebus bus stats", ifEmpty: "no services connected"
            ) { [$0.instance.name, $0.instance.id, $0.instance.version, $0.milliseconds ?? "no answer"] }
        }
    }

    /// `storebus bus req`
    struct Request: BusJoinCommand {
        static let configuration = CommandConfiguration(
            "req", "Send a request and print its answer.",
            """
            storebus bus req '$SRV.INFO.catalog' '{}'
            storebus bus req sb.catalog.v1.storefronts.list '{}' --timeout 2s

            Exits with 1 when the answer is an error, and with 75 when no service takes the subject or answers in \
            time (5s unless --timeout says otherwise).
            """)

        @Argument("The subject.", "subject") var subject: String
        @Argument("The body.", "body") var body: String = ""
        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let isError = try await join { client, context throws(CLIError) in
                let began = ContinuousClock.now
                let reply = try await callingBus { () throws(BusError) in
                    try await client.request(
                        subject, body: Array(body.utf8), headers: BusFormat.headers(headers), timeout: replyTimeout)
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
    struct Publish: BusJoinCommand {
        static let configuration = CommandConfiguration(
            "pub", "Publish a message. It needs no subscriber.",
            """
            storebus bus pub lunch.ready '{"table":4}'
            """)

        @Argument("The subject.", "subject") var subject: String
        @Argument("The body.", "body") var body: String = ""
        @OptionGroup var headers: BusHeaderOptions
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await join { client, context throws(CLIError) in
                try await callingBus { () throws(BusError) in
                    try client.publish(subject, body: Array(body.utf8), headers: BusFormat.headers(headers))
                    try await client.flush(timeout: replyTimeout)
                }
                let bytes = body.utf8.count
                context.print(
                    "published \(bytes) bytes to \(subject)\n",
                    data: ["subject": .string(subject), "bytes": .integer(bytes)], names: [subject])
            }
        }
    }
}
