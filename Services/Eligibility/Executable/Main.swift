import ArgumentParser
import Eligibility
import Operations
import StoreModels

@main
struct EligibilityMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eligibility", abstract: "Answers who may have an introductory offer.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .eligibility, options: options, description: "Introductory-offer answers.", usesData: false
        ) { environment in
            let handlers = EligibilityHandlers(bus: environment.bus, services: environment.caller)
            handlers.register(on: environment.service)
            return [handlers.recalls]
        }
    }
}
