import ArgumentParser
import Operations
import PromotionController
import StoreModels

@main
struct PromotionControllerMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotion-controller",
        abstract: "Stores devices, their overrides, and purchases that begin in the store.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .promotionController, options: options,
            description: "Devices, overrides of promotions, and intents of purchases."
        ) { environment in
            let database = try await PromotionControllerService.openDatabase(environment)
            let promotions = PromotionControllerService(
                database: database, services: environment.caller, logger: environment.logger)
            promotions.register(on: environment.service)
            return [promotions]
        }
    }
}
