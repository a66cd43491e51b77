import BusClient
import EventLoop
import Logging
import NATSClient
import StoreModels

/// Where the bus is, and what opens it: flags, then variables, then what the running store has written down.
struct BusWay: Sendable {
    var address: BusAddress
    /// What said so: `--bus-url`, `BUS_URL`, a file, or `default`.
    var origin: String
    /// What an operator starts it with.
    var start = "storebus up"

    /// - Throws: `usage` for what is no address of a bus, `fileUnreadable` for a token's file.
    static func find(
        url: String?, tokenFile: String?, data: String?, _ environment: CommandEnvironment
    ) throws(CLIError) -> BusWay {
        let variables = environment.variables
        let directory =
            data.map { DataDirectory($0, currentDirectory: environment.currentDirectory) }
            ?? RunRecord.search(from: environment.currentDirectory)
        let record = directory.flatMap(RunRecord.read)
        let named = url.map { ($0, "--bus-url") } ?? (data == nil ? variables["BUS_URL"].map { ($0, "BUS_URL") } : nil)
        let written = record.flatMap { record in directory.map { (record.busURL, $0.runRecord) } }
        let (text, origin) = named ?? written ?? (BusURL().description, "default")
        var way = BusWay(address: try parse(text, origin), origin: origin)
        way.start = StorePlace.start(environment)
        if let path = tokenFile ?? variables["BUS_CREDENTIALS_FILE"] {
            way.address.add(secret: try token(path))
        } else if named == nil || named?.0 == record?.busURL, let directory, !way.address.hasSecret,
            let token = FileAccess.text(directory.busToken)
        {
            // A token belongs to the bus of its directory: another address must not be sent it.
            way.address.add(secret: token)
        }
        return way
    }

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

    /// How long a bus may take to answer at all.
    private static let patience = Duration.seconds(3)

    /// Joins the bus, and leaves it when the body has ended.
    /// - Throws: `busUnreachable`, `busRefused`, and what the body throws.
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
        let outcome: Result<Value, CLIError>
        do throws(CLIError) {
            try await connect(client)
            outcome = .success(try await body(client))
        } catch {
            outcome = .failure(error)
        }
        await client.close()
        await loop.close()
        return try outcome.get()
    }

    private func connect(_ client: any BusClient) async throws(CLIError) {
        do throws(BusError) {
            try await client.waitUntilConnected(timeout: Self.patience)
        } catch {
            if error.code == .authenticationFailed { throw CLIError(bus: error) }
            throw CLIError(
                .busUnreachable, "no bus at \(address) (\(origin))",
                hints: ["start one: \(start)", "another address: --bus-url or BUS_URL"], retryable: true)
        }
    }
}
