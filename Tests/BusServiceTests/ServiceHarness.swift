import BusClient
import BusService
import EventLoop
import Logging
import ServiceLifecycle
import StoreModels

/// A payment queue of one endpoint on an in-memory bus, run as in its process.
struct ServiceHarness {
    let bus: InMemoryBus
    let service: BusService
    let serviceBus: InMemoryClient
    let callerBus: InMemoryClient
    let group: ServiceGroup

    /// The request the tests make; what it asks for does not matter.
    static let request = HeadsRequest(customers: [
        CustomerReference(bundleId: "com.example.app", customerIdentifier: "c-1")
    ])

    /// Runs the service while `body` runs, then shuts it down gracefully.
    /// - Parameters:
    ///   - undeclared: Gets the errors that an endpoint answers and does not declare.
    ///   - prepare: Registers endpoints and checks before the service runs.
    static func with(
        undeclared: Locked<[String]> = Locked([]), _ prepare: (BusService) -> Void = { _ in },
        _ body: (ServiceHarness) async throws -> Void
    ) async throws {
        let bus = InMemoryBus()
        let serviceBus = bus.client(name: "payment-queue")
        let service = BusService(
            name: .paymentQueue, version: "1.2.3", bus: serviceBus, logger: silent, instance: "instance-1",
            description: "Keeps payments.",
            undeclared: { subject, code in undeclared.withLock { $0.append("\(subject) \(code)") } })
        prepare(service)
        let harness = ServiceHarness(
            bus: bus, service: service, serviceBus: serviceBus, callerBus: bus.client(name: "test"),
            group: ServiceGroup(services: [service], logger: silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await harness.group.run() }
            await service.ready()
            try await body(harness)
            await harness.group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func caller(retries: Bool = false) -> ServiceCaller {
        ServiceCaller(bus: callerBus, caller: "test", retries: retries)
    }
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
