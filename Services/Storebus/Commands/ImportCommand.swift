import ArgumentParser
import StoreModels

/// `storebus import App.storekit`
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Put a catalogue in force.",
        discussion: """
            storebus import App.storekit --bundle-id com.example.app

            The whole file takes force or nothing does; a refused one leaves the catalogue as it was.
            """)

    @Argument(help: ArgumentHelp("A StoreKit configuration file.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The app it is the catalogue of.", valueName: "id"))
    var bundleId = CommandContext.defaultBundleId

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let bytes = try CatalogFile.read(file)
        let report = try await CatalogFile.send(bytes, file: file, bundleId: bundleId, to: context.api)
        let notes = report.notes.map { "  note: \($0)\n" }.joined()
        context.print(
            "imported  \(CatalogFile.summary(report, file: file))\n\(notes)"
                + "next      storebus product list --bundle-id \(bundleId)\n",
            json: JSONText.value(report))
    }
}
