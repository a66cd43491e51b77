import ArgumentParser
import StoreModels

/// `storebus bus …`
struct BusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bus", abstract: "See who is on the bus, how they are, and what passes over it.",
        discussion: """
            storebus bus ls
            storebus bus stats payment-queue
            storebus bus trace 'sb.payment.v1.>'

            ls, info, stats and health ask the gateway. The others join the bus themselves, at the address the running \
            store has written down, --bus-url or BUS_URL.
            """,
        subcommands: [
            List.self, Info.self, Stats.self, Ping.self, Health.self, Request.self, Subscribe.self, Publish.self,
            Trace.self, Connections.self, Top.self, Bench.self,
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
            commandName: "health", abstract: "Show every instance's checks; exits with 75 when one fails.",
            discussion: "storebus bus health")

        @OptionGroup var options: BusOptions

        func run() async throws {
            let (context, instances, missing) = try await options.ask()
            context.print(BusTables.health(instances, missing: missing))
            if !missing.isEmpty || instances.contains(where: { $0.status == "fail" }) {
                throw QuietExit(status: .temporary)
            }
        }
    }
}

/// Which services are meant.
struct BusOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Only these.", valueName: "service"), completion: Completion.services)
    var services: [String] = []

    @OptionGroup var global: GlobalOptions

    func ask() async throws(CLIError) -> (CommandContext, [BusInstance], missing: [String]) {
        let context = try CommandContext.find(global)
        let known = ServiceName.allCases.map(\.rawValue)
        for service in services where !known.contains(service) {
            let near = Suggestion.hints(for: service, among: known)
            throw CLIError(
                .usage, "there is no service '\(service)'",
                hints: near + ["they are \(known.joined(separator: ", "))"])
        }
        let answer = try await context.api.services()
        func isMeant(_ service: String) -> Bool { services.isEmpty || services.contains(service) }
        return (
            context, BusInstance.all(answer).filter { isMeant($0.service) },
            (answer["missing"]?.arrayValue ?? []).compactMap(\.stringValue).filter(isMeant)
        )
    }
}
