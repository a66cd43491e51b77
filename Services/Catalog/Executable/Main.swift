import ArgumentParser
import Catalog
import Operations
import StoreModels

@main
struct CatalogMain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog", abstract: "Keeps apps, products, prices and offers.", version: StorebusVersion.number)

    @OptionGroup var options: ServiceOptions

    @Flag(help: "Import the sample catalogue when there is no app. (CATALOG_SAMPLE)")
    var sample = false

    func run() async throws {
        try await CatalogProcess.run(options: options, sample: sample)
    }
}
