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

    @Option(
        help: ArgumentHelp(
            "Serve the console's files from this directory, read with each request. (CONSOLE_DIR)", valueName: "dir"))
    var consoleDir: String?

    func run() async throws {
        try await ServiceMain.run(
            name: .gateway, options: options, flags: consoleDir.map { ["console.dir": $0] } ?? [:],
            description: "The store's HTTP side.", build: Gateway.build)
    }
}
