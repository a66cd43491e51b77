import ArgumentParser
import BusClient
import EventLoop
import Logging
import NATSClient
import StoreModels

/// The address and credentials of the bus: flags, then variables, then the running store's record.
struct BusTarget: Sendable {
    var address: BusAddress
    /// The origin of the address: `--bus-url`, `BUS_URL`, a file, or `default`.
    var origin: String
    /// The command that starts the bus.
    var start: Advice = "storebus up"

    /// - Throws: `usage` for an invalid bus address, `fileUnreadable` for a token's file.
    static func find(
        url: String?, tokenFile: String?, data: String?, _ environment: CommandEnvironment
    ) throws(CLIError) -> BusTarget {
        let variables = environment.variables
        let directory =
            data.map { DataDirectory($0, currentDirectory: environment.currentDirectory) }
            ?? RunRecord.search(from: environment.currentDirectory)
        let record = directory.flatMap(RunRecord.read)
        let named = url.map { ($0, "--bus-url") } ?? (data == nil ? variables["BUS_URL"].map { ($0, "BUS_URL") } : nil)
        let written = record.flatMap { record in directory.map { (record.busURL, $0.runRecord) } }
        let (text, origin) = named ?? written ?? (BusURL().description, "default")
        var target = BusTarget(address: try parse(text, origin), origin: origin)
        target.start = Deployment.start(environment)
        do throws(BusError) {
            try target.address.add(
                tls: TLSFiles(
                    authorities: variables[tlsVariables[0]], certificate: variables[tlsVariables[1]],
                    key: variables[tlsVariables[2]]))
        } catch {
            throw CLIError(bus: error)
        }
        if let path = tokenFile ?? variables["BUS_CREDENTIALS_FILE"] {
            target.address.add(secret: try token(path))
        } else if named == nil || named?.0 == record?.busURL, let directory, !target.address.hasSecret,
            let token = FileAccess.text(directory.busToken)
        {
            // A token belongs to the bus of its directory and must not be sent to another address.
            target.address.add(secret: token)
        }
        return target
    }

    /// The variables with the files for TLS: authorities, certificate and key.
    static let tlsVariables = ["BUS_TLS_CA", "BUS_TLS_CERT", "BUS_TLS_KEY"]

    private static func parse(_ text: String, _ origin: String) throws(CLIError) -> BusAddress {
        do throws(BusError) {
            return try BusAddress(parsing: text)
        } catch {
            throw CLIError(.usage, "\(error.message) (\(origin))", hints: ["for example \(BusURL().description)"])
        }
    }

    private static func token(_ path: String) throws(CLIError) -> String {
        guard let text = FileAccess.text(path), !text.isEmpty else {
            throw CLIError(.fileUnreadable, "the token file '\(path)' cannot be read, or is empty")
        }
        return text
    }

    /// Timeout for connecting to the bus.
    private static let connectTimeout = Duration.seconds(3)

    /// Connects to the bus and disconnects when the body has ended.
    /// - Throws: `busUnreachable`, `busRefused`, and the body's errors.
    func join<Value: Sendable>(
        _ body: @Sendable (any BusClient) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        let loop: UVLoop
        do {
            loop = try UVLoop.start(name: "bus")
        } catch {
            throw CLIError(.internal, "no event loop: \(error)")
        }
        var silent = Logger(label: "storebus")
        silent.logLevel = .critical
        let client = address.connect(
            name: "storebus", version: StorebusVersion.number, loop: loop, logger: silent)
        let outcome = await Result.of { () throws(CLIError) in
            try await connect(client)
            return try await body(client)
        }
        await client.close()
        await loop.close()
        return try outcome.get()
    }

    private func connect(_ client: any BusClient) async throws(CLIError) {
        do throws(BusError) {
            try await client.waitUntilConnected(timeout: Self.connectTimeout)
        } catch {
            if error.code == .authenticationFailed || error.code == .tlsFailed { throw CLIError(bus: error) }
            throw CLIError(
                .busUnreachable, "no bus at \(address) (\(origin))",
                hints: ["start one: \(start)", "another address: --bus-url or BUS_URL"], retryable: true)
        }
    }
}

/// Options of the commands that connect to the bus.
struct BusJoinOptions: ParsableArguments {
    @Option("The bus's address. Also BUS_URL. Default: the running store's.", "url") var busUrl: String?
    @Option("The file with the bus's token. Also BUS_CREDENTIALS_FILE. Default: the running store's.", "path", .file())
    var busTokenFile: String?
}

/// A command that connects to the bus.
protocol BusJoinCommand: AsyncParsableCommand {
    var bus: BusJoinOptions { get }
    var options: GlobalOptions { get }
}

extension BusJoinCommand {
    /// Connects to the bus while the body runs.
    func join<Value: Sendable>(
        _ body: @Sendable (any BusClient, CommandContext) async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        let environment = CommandEnvironment.current
        let context = try CommandContext.find(options)
        let target = try BusTarget.find(
            url: bus.busUrl, tokenFile: bus.busTokenFile, data: options.data, environment)
        return try await target.join { client throws(CLIError) in try await body(client, context) }
    }

    /// Timeout for one response.
    var replyTimeout: Duration { options.timeout?.duration ?? .seconds(5) }
}

/// Headers of a message: `-H Sb-Timeout=500`.
struct BusHeaderOptions: ParsableArguments {
    @Option("A header. Repeatable.", "name=value", name: [.customShort("H"), .customLong("header")])
    var headers: [String] = []

    func validate() throws {
        for header in headers where header.firstIndex(of: "=") ?? header.startIndex == header.startIndex {
            throw ValidationError("'\(header)' is not a header; write name=value")
        }
    }

    /// Names and values, split at the first equals sign.
    var pairs: [(name: String, value: String)] {
        headers.compactMap { header in
            header.firstIndex(of: "=").map { (String(header[..<$0]), String(header[header.index(after: $0)...])) }
        }
    }
}

extension CLIError {
    /// Describes an error of the bus, with a remedy.
    init(bus error: BusError) {
        switch error.code {
        case .timeout, .noResponders, .overloaded:
            self.init(
                .noResponders, error.message, hints: ["who is there: storebus bus ls"], retryable: error.isRetryable)
        case .authenticationFailed, .permissionDenied:
            self.init(
                .busRefused, error.message,
                hints: ["the bus's token: --bus-token-file or BUS_CREDENTIALS_FILE"])
        case .tlsFailed: self.init(.busRefused, error.message, hints: ["docs/security.md, TLS on the bus"])
        case .invalidSubject, .invalidMessage, .payloadTooLarge, .invalidURL:
            self.init(.usage, error.message)
        default: self.init(.busUnreachable, "the bus: \(error.message)", retryable: error.isRetryable)
        }
    }
}

/// Calls the bus and translates its errors for the command line.
func callingBus<Value>(_ body: () async throws(BusError) -> Value) async throws(CLIError) -> Value {
    do throws(BusError) {
        return try await body()
    } catch {
        throw CLIError(bus: error)
    }
}

extension BusClient {
    /// Rejects commands that need Storebus's own broker, instead of reporting a missing responder.
    func requireSystemSubjects() throws(CLIError) {
        if capabilities.contains(.systemSubjects) { return }
        throw CLIError(
            .usage, "this bus is not Storebus's own broker, which alone has pages and traces under $SYS.",
            hints: ["ask nats-server for its own pages: nats server report connections, or its port of --http_port"])
    }
}
