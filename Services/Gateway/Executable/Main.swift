import ArgumentParser
import Gateway
import Operations
import StoreModels

@main
struct GatewayMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway", abstract: "Serves the store over HTTP: sessions, products, payments, live delivery.",
        version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    func run() async throws {
        try await ServiceMain.run(
            name: .gateway, options: options, description: "The store's HTTP side.", build: Gateway.build)
    }
}
