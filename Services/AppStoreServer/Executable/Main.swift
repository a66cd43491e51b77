import AppStoreServer
import ArgumentParser
import Operations
import StoreModels

/// `app-store-server`: answers for Apple's server and sends its notifications.
@main struct AppStoreServerMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-store-server",
        abstract: "Signs receipts and transactions, answers the App Store Server API and sends notifications.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .appStoreServer, options: options,
            description: "Apple's server: signatures, receipts, server API, notifications."
        ) { environment in
            let appStore = try await AppStoreServerService.open(environment)
            appStore.register(on: environment.service)
            return [appStore]
        }
    }
}
