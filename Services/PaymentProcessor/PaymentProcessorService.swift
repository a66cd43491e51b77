import BusService
import Persistence
import ServiceLifecycle
import StoreModels

/// The sandbox processor as a service: its three endpoints and its ledger's health.
package final class PaymentProcessorService: ServiceLifecycle.Service {
    let ledger: ChargeLedger

    package init(ledger: ChargeLedger) { self.ledger = ledger }

    /// Registers the endpoints and the health check; before the bus service runs.
    package func register(on service: BusService) {
        service.handle(ProcessorEndpoints.createCharge) { [ledger] request, _ in
            try await answering { try await ledger.create(request) }
        }
        service.handle(ProcessorEndpoints.cancelCharge) { [ledger] request, _ in
            try await answering { try await ledger.cancel(request) }
        }
        service.handle(ProcessorEndpoints.listCharges) { [ledger] request, _ in
            try await answering { try await ledger.list(request) }
        }
        service.healthCheck("ledger") { [ledger] in
            ledger.database.fault.map { .fail($0.message) } ?? .pass
        }
    }

    /// Holds the ledger open until graceful shutdown. In a service group it stands before the bus service, so that the
    /// ledger closes after the last request.
    package func run() async throws {
        try? await gracefulShutdown()
        await ledger.database.close()
    }
}

/// Turns what the database throws into what a caller can act on. Whatever went wrong, the caller sends the same key
/// again and learns what stands.
private func answering<Output>(_ body: () async throws -> Output) async throws -> Output {
    do {
        return try await body()
    } catch let error as PersistenceError {
        switch error.code {
        case .storageFailed: throw StoreError(.outcomeUnknown, "the processor's disk failed")
        case .storageFull, .busy, .overloaded, .closed:
            throw StoreError(.serviceUnavailable, "the processor's ledger cannot be written now")
        default: throw StoreError(.internal, "the processor's ledger refused a statement")
        }
    }
}
