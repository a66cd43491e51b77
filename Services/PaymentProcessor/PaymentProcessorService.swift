import BusService
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// The sandbox processor as a service: its endpoints, its ledger's health, and what it does by itself.
package final class PaymentProcessorService: ServiceLifecycle.Service {
    let ledger: ChargeLedger
    let settler: ChargeSettler
    let logger: Logger

    /// - Parameter publish: sends a callback; without it nobody is told.
    package init(
        ledger: ChargeLedger, logger: Logger = Logger(label: ServiceName.paymentProcessor.rawValue),
        publish: @escaping @Sendable (ChargeChanged) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.settler = ChargeSettler(ledger: ledger, publish: publish)
        self.logger = logger
    }

    /// As above, with callbacks on the bus.
    package convenience init(ledger: ChargeLedger, caller: ServiceCaller, logger: Logger) {
        self.init(ledger: ledger, logger: logger) { caller.publish(event: ProcessorEvents.chargeChanged, $0) }
    }

    /// Registers the endpoints and the health check; before the bus service runs.
    package func register(on service: BusService) {
        service.handle(ProcessorEndpoints.createCharge) { [ledger] request, context in
            try await answering { try await ledger.create(request, until: context.deadline) }
        }
        service.handle(ProcessorEndpoints.cancelCharge) { [ledger] request, _ in
            try await answering { try await ledger.cancel(request) }
        }
        service.handle(ProcessorEndpoints.listCharges) { [ledger] request, _ in
            try await answering { try await ledger.list(request) }
        }
        service.handle(ProcessorEndpoints.createRefund) { [ledger] request, _ in
            try await answering { try await ledger.refund(request) }
        }
        service.handle(ProcessorEndpoints.listRefunds) { [ledger] request, _ in
            try await answering { try await ledger.listRefunds(request) }
        }
        service.healthCheck("ledger", of: ledger.database)
    }

    /// Approves what is pending and sends callbacks until graceful shutdown, then closes the ledger. In a service group
    /// it stands before the bus service, so that the ledger closes after the last request.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.settle() }
        await ledger.database.close()
    }

    /// Round after round. One that fails is told of and not the end: the next may work.
    private func settle() async {
        while !Task.isCancelled {
            var pause = ChargeSettler.interval
            do {
                pause = try await settler.round()
            } catch {
                logger.warning("charges were not settled, it will be tried again", metadata: ["error": "\(error)"])
            }
            // Ends early only with the process.
            try? await Task.sleep(for: pause)
        }
    }
}

/// Turns what the database throws into what a caller can act on. Whatever went wrong, the caller sends the same key
/// again and learns what stands.
private func answering<Output>(_ body: () async throws -> Output) async throws -> Output {
    do {
        return try await body()
    } catch let error as PersistenceError {
        switch error.code {
        case .storageFailed, .outcomeUnknown:
            throw StoreError(.outcomeUnknown, "the processor's ledger was lost during a commit")
        case .storageFull, .busy, .overloaded, .closed, .unavailable, .conflict:
            throw StoreError(.serviceUnavailable, "the processor's ledger cannot be written now")
        default: throw StoreError(.internal, "the processor's ledger refused a statement")
        }
    }
}
