import ArgumentParser
import Operations
import PaymentProcessor
import StoreModels

/// `payment-processor`: the sandbox that charges.
@main struct PaymentProcessorMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payment-processor", abstract: "The sandbox's payment processor, with a ledger of its own.",
        discussion: """
            PROCESSOR_MODE sets the outcome of charges, approve unless you set it: \
            \(ProcessorMode.allCases.map(\.rawValue).joined(separator: ", ")).
            """,
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .paymentProcessor, options: options, description: "Sandbox charges, in a ledger of its own."
        ) { environment in
            let mode = try environment.configuration.choice("processor.mode", default: ProcessorMode.approve)
            let database = try await PaymentProcessorService.openDatabase(environment)
            let processor = PaymentProcessorService(
                ledger: ChargeLedger(
                    database: database, behavior: SandboxBehavior(mode: mode), logger: environment.logger),
                caller: environment.caller, logger: environment.logger)
            processor.register(on: environment.service)
            return [processor]
        }
    }
}
