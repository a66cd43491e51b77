import BusClient
import Logging

/// What a gateway needs that only shows its table.
enum InMemoryGateway {
    static let bus = InMemoryBus().client(name: "gateway")
    static let logger = Logger(label: "gateway")
}
