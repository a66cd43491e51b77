import ArgumentParser
import StoreHTTP
import StoreModels

extension BusCommand {
    /// `storebus bus drain`
    struct Drain: ContextCommand {
        static let configuration = CommandConfiguration(
            "drain", "End an instance gracefully. Its supervisor restarts it.",
            """
            storebus bus drain catalog
            storebus bus drain 9f3c0d21a4b5c6d7e8f90123

            The instance takes no more requests, finishes those it has, and ends. Given a service's name, drains \
            all its instances, each one after the one before has a successor. Exits with 75 when no successor \
            comes in time (20s unless --timeout says otherwise).
            """)

        @Argument("A service, or an instance of 'bus ls'.", "service|instance", Completion.services) var target: String
        @OptionGroup var options: GlobalOptions

        private static let successorTimeout = Duration.seconds(20)

        func run(_ context: CommandContext) async throws {
            let present = try await context.api.received(MonitoringRoutes.services).services
            let isService = ServiceName.allCases.contains { $0.rawValue.isExactly(target) }
            let meant = present.filter { isService ? $0.name.isExactly(target) : $0.id.isExactly(target) }
            guard !meant.isEmpty else {
                throw CLIError(
                    .noResponders, "no instance of '\(target)' is on the bus",
                    hints: ["who is there: storebus bus ls"])
            }
            var known = Set(present.map { ExactText($0.id) })
            var table = Table(["SERVICE", "DRAINED", "SUCCESSOR"])
            var items: [JSONValue] = []
            for instance in meant {
                let drained = try await context.api.call(MonitoringRoutes.drain, [.id: instance.id])
                let successor = try await successor(of: drained, known, context)
                known.insert(ExactText(successor))
                table.add([drained.name, drained.id, successor])
                items.append([
                    "service": .string(drained.name), "drained": .string(drained.id), "successor": .string(successor),
                ])
            }
            context.print(
                CommandResult(
                    table, items: items, names: meant.map(\.id), next: "storebus bus health",
                    ifEmpty: "no services connected"))
        }

        /// Waits for an instance of the same service that was not there before.
        private func successor(
            of drained: DrainResponse, _ known: Set<ExactText>, _ context: CommandContext
        ) async throws(CLIError) -> String {
            let limit = context.timeLimit ?? Self.successorTimeout
            return try await Retry.run(until: .now + limit) { () throws(CLIError) in
                let services = try await context.api.received(MonitoringRoutes.services).services
                let successor = services.first { $0.name.isExactly(drained.name) && !known.contains(ExactText($0.id)) }
                guard let successor else {
                    throw CLIError(
                        .noResponders, "\(drained.name) \(drained.id) was drained, and no new instance has come",
                        hints: ["its supervisor has to start it again; see the supervisor's log"],
                        retryable: true)
                }
                return successor.id
            }
        }
    }
}
