import ArgumentParser
import StoreModels

/// `storebus import App.storekit`
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a catalogue and make it the current one.",
        discussion: """
            storebus import App.storekit
            storebus import A.storekit B.json --bundle-id com.example.a --bundle-id com.example.b
            storebus import App.storekit --watch

            Takes a StoreKit configuration file, or Storebus's own JSON, which adds states, prices and availability per \
            storefront. The whole file takes effect or nothing does; a refused one leaves the catalogue as it was. Each \
            file is a whole catalogue, so each needs an app of its own.
            """)

    @Argument(
        help: ArgumentHelp("Catalogues.", valueName: "file"), completion: .file(extensions: ["storekit", "json"]))
    var files: [String]

    @Option(help: ArgumentHelp("The app of the file with the same place in the line.", valueName: "id"))
    var bundleId: [String] = []

    @Flag(help: "Only say what would happen.")
    var dryRun = false

    @Flag(help: "Go on, and import a file again whenever it changes.")
    var watch = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if dryRun, watch { throw ValidationError("--dry-run and --watch exclude each other") }
    }

    func run() async throws {
        var context = try CommandContext.find(global)
        var pairs = try CatalogFile.pair(files, bundleId, default: context.bundleId, flag: "FILE")
        // Every file is read before the first is sent: a misspelt name must not leave half of them imported.
        for one in pairs { _ = try CatalogFile.read(one.file) }
        if bundleId.isEmpty {
            context = try await context.withOnlyApp()
            pairs = try CatalogFile.pair(files, bundleId, default: context.bundleId, flag: "FILE")
        }
        let imports = pairs.map { CatalogImport(file: $0.file, bundleId: $0.bundleId, isTrial: dryRun) }
        var reports: [(CatalogImport, ImportReport)] = []
        for one in imports {
            reports.append((one, try await one.run(context)))
        }
        context.print(CatalogImport.answer(reports, apps: dryRun ? [] : await Self.apps(imports, context)))
        if watch { try await CatalogWatch(imports: imports, context: context).run() }
    }

    /// Those that can be had: without them only what is said of their renewals is missing.
    private static func apps(_ imports: [CatalogImport], _ context: CommandContext) async -> [App] {
        var apps: [App] = []
        for one in imports { if let app = try? await context.api.app(one.bundleId) { apps.append(app) } }
        return apps
    }
}
