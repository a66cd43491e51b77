import ArgumentParser
import Operations
import Persistence
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
            let database: any SQLDatabase
            do throws(PersistenceError) {
                database = try SQLiteDatabase.open(
                    path: "\(environment.dataDirectory)/promotion-controller.sqlite", holder: "promotion-controller",
                    migrations: PromotionControllerService.migrations, logger: environment.logger)
            } catch {
                throw StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
            }
            let promotions = PromotionControllerService(database: database, services: environment.caller)
            promotions.register(on: environment.service)
            return [promotions]
        }
    }
}
