import ArgumentParser
import Notifier
import Operations
import StoreModels

/// `notifier`: sends App Store Server Notifications to apps' servers.
@main struct NotifierMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifier", abstract: "Sends App Store Server Notifications to apps' servers.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .notifier, options: options, description: "Notifications for apps' servers."
        ) { environment in
            let notifier = try await NotifierService.open(environment)
            notifier.register(on: environment.service)
            return [notifier]
        }
    }
}
