import ArgumentParser
import StoreModels

/// `storebus export`
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the catalogue in force, as it was imported.",
        discussion: """
            storebus export > App.storekit
            storebus export --format json --bundle-id com.example.a

            'storekit' is the imported file byte for byte, with its unknown members. 'json' is the same content on \
            one line with sorted members, for comparing. Storebus's own JSON is a .storekit file with more members, \
            so you can import both forms again.
            """)

    enum Form: String, CaseIterable, ExpressibleByArgument { case storekit, json }

    @Option(help: ArgumentHelp("storekit or json.", valueName: "form"))
    var format = Form.storekit

    @OptionGroup var options: AppCommandOptions

    func run() async throws {
        let context = try await options.context()
        let bytes = try await context.progress.during("exporting \(context.bundleId)") { () throws(CLIError) in
            try await context.api.exportCatalog(context.bundleId)
        }
        guard let catalogue = try? StrictJSON.parse(bytes) else {
            throw CLIError(.answerInvalid, "the export of \(context.api.url) is not JSON")
        }
        let text = format == .json ? JSONText.line(catalogue) + "\n" : String(decoding: bytes, as: UTF8.self)
        context.print(text, data: catalogue, names: [context.bundleId])
    }
}
