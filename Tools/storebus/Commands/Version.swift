import ArgumentParser
import StoreModels

/// `storebus version`
struct VersionCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration("version", "Print the version.", "storebus version -o json")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        output.print(
            CommandResult(
                StorebusVersion.line + "\n",
                data: [
                    "version": .string(StorebusVersion.number), "compiler": .string(StorebusVersion.compiler),
                    "line": .string(StorebusVersion.line),
                ], names: [StorebusVersion.number]))
    }
}

extension StorebusVersion {
    /// The compiler's version, as precise as `#if compiler` allows.
    static var compiler: String {
        #if compiler(>=6.4)
            "Swift 6.4 or newer"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    static var line: String { "Storebus \(number) (\(compiler))" }
}
