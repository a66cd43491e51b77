import ArgumentParser
import Operations
import PaymentQueue
import StoreModels

/// Runs `payment-queue`: accounts, payments and transactions.
@main struct PaymentQueueMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payment-queue", abstract: "Sells: accounts, payments, transactions and the unfinished queue.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .paymentQueue, options: options, description: "Accounts, payments, transactions, business clock."
        ) { environment in
            let queue = try await PaymentQueueService.open(environment)
            queue.register(on: environment.service)
            return [queue]
        }
    }
}
