import ArgumentParser
import BusClient

/// What the commands take that join the bus themselves.
struct BusJoinOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The bus's address. Also BUS_URL. Default: the running store's.", valueName: "url"))
    var busUrl: String?

    @Option(
        help: ArgumentHelp(
            "The file with the bus's token. Also BUS_CREDENTIALS_FILE. Default: the running store's.",
            valueName: "path"), completion: .file())
    var busTokenFile: String?

    @OptionGroup var global: GlobalOptions

    /// Joins the bus for as long as the body runs.
    func join<Value: Sendable>(
        _ body: @Sendable (any BusClient, CommandContext) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        let environment = CommandEnvironment.current
        let context = try CommandContext.find(global)
        let way = try BusWay.find(url: busUrl, tokenFile: busTokenFile, data: global.data, environment)
        return try await way.join { bus throws(CLIError) in try await body(bus, context) }
    }

    /// How long one answer may take.
    var answerTime: Duration { global.timeout?.duration ?? .seconds(5) }
}

/// Headers of a message: `-H Sb-Timeout=500`.
struct BusHeaderOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header; may be repeated.", valueName: "name=value"))
    var headers: [String] = []

    func validate() throws {
        for header in headers where header.firstIndex(of: "=") ?? header.startIndex == header.startIndex {
            throw ValidationError("'\(header)' is no header; write name=value")
        }
    }

    /// Names and values, split at the first equals sign.
    var pairs: [(name: String, value: String)] {
        headers.compactMap { header in
            header.firstIndex(of: "=").map { (String(header[..<$0]), String(header[header.index(after: $0)...])) }
        }
    }
}
