import BusService
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// The sandbox processor as a service: its endpoints, its ledger's health, and its background work.
package final class PaymentProcessorService: ServiceLifecycle.Service {
    let ledger: ChargeLedger
    let settler: ChargeSettler
    let logger: Logger

    /// Creates the service. By default it sends no callbacks.
    /// - Parameter publish: Sends a callback.
    package init(
        ledger: ChargeLedger, logger: Logger = Logger(label: ServiceName.paymentProcessor.rawValue),
        publish: @escaping @Sendable (ChargeChanged) -> Void = { _ in }
    ) {
        self.ledger = ledger
        self.settler = ChargeSettler(ledger: ledger, publish: publish)
        self.logger = logger
    }

    /// Creates the service, with callbacks on the bus.
    package convenience init(ledger: ChargeLedger, caller: ServiceCaller, logger: Logger) {
        self.init(ledger: ledger, logger: logger) { caller.publish(event: ProcessorEvents.chargeChanged, $0) }
    }

    /// Registers the endpoints and the health check. Call it before the bus service runs.
    package func register(on service: BusService) {
        let endpoints = DatabaseEndpoints(of: "the payment processor", on: service)
        endpoints.handle(ProcessorEndpoints.createCharge, ledger.create)
        endpoints.handle(ProcessorEndpoints.authorizeCharges, ledger.authorize)
        endpoints.handle(ProcessorEndpoints.captureCharges, ledger.capture)
        endpoints.handle(ProcessorEndpoints.cancelCharge, ledger.cancel)
        endpoints.handle(ProcessorEndpoints.listCharges, ledger.list)
        endpoints.handle(ProcessorEndpoints.createRefund, ledger.refund)
        endpoints.handle(ProcessorEndpoints.reverseRefund, ledger.reverse)
        endpoints.handle(ProcessorEndpoints.listRefunds, ledger.listRefunds)
        endpoints.handle(ProcessorEndpoints.copyApp, LedgerCopy(database: ledger.database).copy)
        service.healthCheck("ledger", of: ledger.database)
    }

    /// Approves pending charges and sends callbacks until graceful shutdown. Then it closes the ledger. In a service
    /// group it precedes the bus service, so that the ledger closes after the last request.
    package func run() async throws {
        await BackgroundJob.run([
            .repeating("settler", every: ChargeSettler.interval, ledger.database.commits, logger) { [settler] in
                .untilCommit(or: try await settler.round().map { .now + $0 })
            }
        ])
        await ledger.database.close()
    }
}

extension PaymentProcessorService {
    /// Opens the ledger and migrates its schema.
    /// - Throws: A `StartupError` that names the place, the problem and the remedy.
    package static func openDatabase(_ environment: ServiceEnvironment) async throws(StartupError) -> any SQLDatabase {
        try await environment.openDatabase(PaymentProcessorSchema.migrations)
    }
}
