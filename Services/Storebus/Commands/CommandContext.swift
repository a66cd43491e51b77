import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a command works with: the store it found, the way to print, the environment.
package struct CommandContext: Sendable {
    package let console: Console
    package let output: OutputFormat
    package let api: StoreAPI
    package let sessions: SessionKeeper
    /// The running store's directory, when it was found by one.
    package let directory: DataDirectory?

    package init(console: Console, output: OutputFormat, api: StoreAPI, directory: DataDirectory?) {
        self.console = console
        self.output = output
        self.api = api
        self.directory = directory
        sessions = SessionKeeper(api: api, directory: directory?.sessionDirectory)
    }

    /// The bundle the sample catalogue and the commands speak of unless told otherwise.
    package static let defaultBundleId = "com.example.app"

    /// Where nothing else says where the store is.
    package static let defaultURL = "http://127.0.0.1:7430"

    /// Finds the store: `--url`, `--data`, `STOREBUS_URL`, `.storebus/run/up.json` here or above, then the default
    /// address. The admin key: `STOREBUS_ADMIN_KEY`, else the one in the store's directory.
    package static func find(
        _ options: GlobalOptions, console: Console = .standard,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        currentDirectory: String = FileManager.default.currentDirectoryPath
    ) throws(CLIError) -> CommandContext {
        let named = options.data.map { DataDirectory($0, currentDirectory: currentDirectory) }
        let directory = named ?? RunRecord.search(from: currentDirectory)
        let record = directory.flatMap(RunRecord.read)
        if options.url == nil, let named {
            guard let record, record.isAlive else {
                throw CLIError(
                    .serverUnreachable, "no store runs on \(named.path)",
                    hints: ["start it: storebus up --data \(named.path)"])
            }
        }
        // An empty variable is how shells and CI systems unset one.
        let environment = environment.filter { !$0.value.isEmpty }
        let given = options.url ?? (named == nil ? environment["STOREBUS_URL"] : nil)
        let url = given ?? record?.url ?? defaultURL
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw CLIError(.usage, "'\(url)' is not a URL of a store", hints: ["for example --url \(defaultURL)"])
        }
        // A key belongs to the store of its directory: another address must not be sent it.
        let isThatStore = record?.url == url
        let key =
            environment["STOREBUS_ADMIN_KEY"]
            ?? (isThatStore ? directory.flatMap { FileAccess.text($0.adminKey) } : nil)
        return CommandContext(
            console: console, output: options.output,
            api: StoreAPI(transport: HTTPTransport(baseURL: url), url: url, adminKey: key),
            directory: isThatStore ? directory : nil)
    }

    /// Prints the result: the text for people, or `{"data":…}`.
    package func print(_ human: @autoclosure () -> String, json: @autoclosure () -> JSONValue) {
        switch output {
        case .human: console.result(human())
        case .json: console.result(JSONText.line(.object(["data": json()])) + "\n")
        }
    }
}
