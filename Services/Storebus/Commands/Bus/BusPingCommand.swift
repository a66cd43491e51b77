import ArgumentParser
import BusClient
import BusService
import StoreModels

extension BusCommand {
    /// `storebus bus ping`
    struct Ping: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ping", abstract: "Measure the way to every instance and back.",
            discussion: """
                storebus bus ping
                storebus bus ping catalog

                Asks who is there ($SRV.PING), then each instance by itself, and exits with 75 when nobody answers.
                """)

        @Argument(help: ArgumentHelp("Only this service.", valueName: "service"), completion: Completion.services)
        var service: String?

        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            let answer = try await bus.join { client, context throws(CLIError) in
                let discovery = ServiceDiscovery(client)
                let instances = try await asking { () throws(BusError) in try await discovery.ping(service) }
                guard !instances.isEmpty else {
                    throw CLIError(
                        .nobodyAnswers, service.map { "no instance of '\($0)' answers" } ?? "nobody is on the bus",
                        hints: ["who is there: storebus bus ls"], retryable: true)
                }
                var report = PingReport()
                for instance in instances {
                    let subject = "$SRV.PING.\(instance.name).\(instance.id)"
                    let began = ContinuousClock.now
                    let answer: BusMessage? = try? await client.request(subject, timeout: bus.answerTime)
                    report.add(instance, answer == nil ? nil : ContinuousClock.now - began)
                }
                context.print(report.answer)
                return report.isComplete
            }
            if !answer { throw QuietExit(status: .temporary) }
        }
    }
}

/// What `bus ping` found.
private struct PingReport {
    private var table = Table([
        .init("SERVICE"), .init("INSTANCE"), .init("VERSION"), .init("ROUND TRIP MS", .right),
    ])
    private var items: [JSONValue] = []
    private var names: [String] = []
    /// Whether everybody who was there has answered.
    private(set) var isComplete = true

    mutating func add(_ instance: PingResponse, _ time: Duration?) {
        let milliseconds = time.map(BusWords.milliseconds)
        table.add([instance.name, instance.id, instance.version, milliseconds ?? "no answer"])
        items.append([
            "service": .string(instance.name), "instance": .string(instance.id), "version": .string(instance.version),
            "roundTripMs": milliseconds.map { .number($0) } ?? .null,
        ])
        names.append(instance.id)
        if time == nil { isComplete = false }
    }

    var answer: Answer {
        Answer(table, items: items, names: names, next: "storebus bus stats", ifEmpty: "nobody is on the bus")
    }
}
