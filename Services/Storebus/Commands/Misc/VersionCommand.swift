import ArgumentParser
import StoreModels

/// `storebus version`
struct VersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the version.", discussion: "storebus version -o json")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        output.print(
            Answer(
                StorebusVersion.line + "\n",
                data: [
                    "version": .string(StorebusVersion.number), "compiler": .string(StorebusVersion.compiler),
                    "line": .string(StorebusVersion.line),
                ], names: [StorebusVersion.number]))
    }
}
