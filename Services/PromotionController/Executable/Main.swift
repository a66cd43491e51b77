import ArgumentParser
import Operations
import PromotionController
import StoreModels

@main
struct PromotionControllerMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotion-controller", abstract: "Knows devices and what their store pages show.",
        version: StorebusVersion.text)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .promotionController, options: options, description: "Devices, launches and promoted products."
        ) { environment in
            let database = try await PromotionControllerService.openDatabase(environment)
            let promotions = PromotionControllerService(database: database, services: environment.caller)
            promotions.register(on: environment.service)
            return [promotions]
        }
    }
}
