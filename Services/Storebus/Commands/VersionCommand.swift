import ArgumentParser
import StoreModels

/// `storebus version`
struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    @Option(name: [.short, .long], help: "Print 'human' text or one 'json' document.")
    var output = OutputFormat.human

    func run() async throws {
        switch output {
        case .human: Console.standard.result(StorebusVersion.line + "\n")
        case .json:
            let data: JSONValue = .object([
                "version": .string(StorebusVersion.number), "compiler": .string(StorebusVersion.compiler),
            ])
            Console.standard.result(JSONText.line(.object(["data": data])) + "\n")
        }
    }
}
