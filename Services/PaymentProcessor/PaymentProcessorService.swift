import BusService
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// The sandbox processor as a service: its endpoints, its ledger's health, and its background work.
package final class PaymentProcessorService: ServiceLifecycle.Service {
    let ledger: ChargeLedger
    let settler: ChargeSettler
    let logger: Logger

    /// - Parameter publish: Sends a callback; without it none are sent.
    package init(
        ledger: ChargeLedger, logger: Logger = Logger(label: ServiceName.paymentProcessor.rawValue),
        publish: @escaping @Sendable (ChargeChanged) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.settler = ChargeSettler(ledger: ledger, publish: publish)
        self.logger = logger
    }

    /// Creates the service with callbacks on the bus.
    package convenience init(ledger: ChargeLedger, caller: ServiceCaller, logger: Logger) {
        self.init(ledger: ledger, logger: logger) { caller.publish(event: ProcessorEvents.chargeChanged, $0) }
    }

    /// Registers the endpoints and the health check; call it before the bus service runs.
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

    /// Approves pending charges and sends callbacks until graceful shutdown, then closes the ledger. In a service group
    /// it precedes the bus service, so that the ledger closes after the last request.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.settle() }
        await ledger.database.close()
    }

    /// Runs round after round. A failed one is logged, and the next may succeed.
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

/// Converts database errors to errors for the caller. After any of them the caller repeats the same key and gets the
/// recorded result.
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
