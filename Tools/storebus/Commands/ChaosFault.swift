import ArgumentParser
import BusClient
import Chaos
import StoreModels

/// `storebus chaos fault …`
struct ChaosFaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Inject faults into a running store by hand.",
        discussion: """
            storebus chaos fault list
            storebus chaos fault add delay payment-queue
            storebus chaos fault clear delay payment-queue
            storebus chaos fault clear
            """,
        subcommands: [List.self, Add.self, Clear.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the faults in force on the bus, and stopped processes.",
            discussion: "storebus chaos fault list")

        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            try await bus.join { client, context throws(CLIError) in
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Inject one fault into one service.",
            discussion: """
                storebus chaos fault add kill payment-queue
                storebus chaos fault add partition eligibility

                The store restarts a killed process. Pauses and faults of the bus stay until you clear them.
                """)

        @Argument(
            help: ArgumentHelp("The fault.", valueName: "fault"), completion: .list(FaultName.rawValues))
        var fault: String

        @Argument(help: ArgumentHelp("The service.", valueName: "service"), completion: .list(ServiceList.services))
        var service: String

        @OptionGroup var bus: BusJoinOptions

        func run() async throws {
            let (fault, target) = try FaultArguments.parse(fault, service)
            try await bus.join { client, context throws(CLIError) in
                try await ChaosFaults.add(fault, target, client, context)
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Take back all faults, or one: rules of the bus, and stopped processes.",
            discussion: """
                storebus chaos fault clear
                storebus chaos fault clear delay payment-queue
                """)

        @Argument(
            help: ArgumentHelp("Only this fault.", valueName: "fault"),
            completion: .list(FaultName.rawValues))
        var fault: String?

        @Argument(
            help: ArgumentHelp("Only at this service.", valueName: "service"), completion: .list(ServiceList.services))
        var service: String?

        @OptionGroup var bus: BusJoinOptions

        func validate() throws {
            if fault != nil, service == nil {
                throw ValidationError("name the service, too; without both all are cleared")
            }
        }

        func run() async throws {
            if let fault, let service {
                let (fault, target) = try FaultArguments.parse(fault, service)
                return try await bus.join { client, context throws(CLIError) in
                    try await ChaosFaults.remove(fault, target, client, context)
                    context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
                }
            }
            // A stopped broker accepts no connection, so processes go on first.
            let context = try CommandContext.find(bus.global)
            ChaosFaults.resumeFrozen(context.directory)
            try await bus.join { client, context throws(CLIError) in
                _ = try await BusFaults.askPatiently(client, "CLEAR")
                context.print(ChaosFaults.result(try await ChaosFaults.list(client, context)))
            }
        }
    }
}

/// A fault and a service of the command line.
private enum FaultArguments {
    /// - Throws: `usage` for an unknown one, and for several.
    static func parse(_ fault: String, _ service: String) throws(CLIError) -> (FaultName, String) {
        let known = FaultName.allCases.filter { [.signal, .busRules].contains($0.means) }
        let names = try ChaosPlan.names("fault", fault, known: known.map(\.rawValue))
        let targets = try ChaosPlan.targets(service, of: ServiceList.services)
        guard let fault = names.first.flatMap(FaultName.init(rawValue:)), names.count == 1, targets.count == 1
        else {
            throw CLIError(.usage, "one fault and one service at a time", hints: ["repeat the command for more"])
        }
        return (fault, targets[0])
    }
}
