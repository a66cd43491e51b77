import BusClient
import Logging
import StorebusTesting

@testable import Gateway
@testable import GatewayEdge

/// A gateway that only shows its table.
enum InMemoryGateway {
    /// Keeps its log lines and prints nothing.
    static let logger = {
        var logger = Logger(label: "gateway")
        logger.logLevel = .critical
        return logger
    }()

    static func make() async throws -> Gateway {
        let directory = try TemporaryDirectory()
        return Gateway(
            bus: InMemoryBus().client(name: "gateway"),
            tokens: SessionTokens(key: Array(repeating: 1, count: 32)),
            database: try GatewaySchema.open(in: directory.path, logger: logger), logger: logger)
    }
}
