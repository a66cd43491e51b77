import ArgumentParser
import StoreModels

/// `storebus open`
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Print the store's address.",
        discussion: """
            storebus open
            xdg-open "$(storebus open)/openapi.json"

            There is no console yet: at the address are the API and its description, /openapi.json.
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try CommandContext.find(global)
        let url = context.api.url
        context.print(
            CommandResult(
                "\(url)\n", data: ["url": .string(url), "openAPI": .string("\(url)/openapi.json")], names: [url],
                next: "storebus status",
                notes: ["there is no console yet; the API describes itself at \(url)/openapi.json"]))
    }
}
