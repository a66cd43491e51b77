import Broker
import BusClient
import EventLoop
import Logging
import Testing

/// The transports that must behave alike.
enum BusTransport: String, CaseIterable, CustomTestStringConvertible {
    case inMemory
    case inMemoryOnLoop
    case sbp

    var testDescription: String { rawValue }
}

/// A running bus and a way to join it; ends everything when the body is done, and fails when that hangs.
struct BusFixture {
    let makeClient: @Sendable (_ name: String) -> any BusClient

    /// A connected client.
    func client(_ name: String) async throws -> any BusClient {
        let client = makeClient(name)
        try await client.waitUntilConnected(timeout: .seconds(10))
        return client
    }

    static func with(_ transport: BusTransport, _ body: (BusFixture) async throws -> Void) async throws {
        switch transport {
        case .inMemory:
            let bus = InMemoryBus()
            try await body(BusFixture { bus.client(name: $0) })
        case .inMemoryOnLoop:
            let loop = try UVLoop.start(name: "test")
            let bus = InMemoryBus(loop: loop)
            try await body(BusFixture { bus.client(name: $0) })
            await loop.close()
        case .sbp:
            try await TestBroker.with { broker in
                try await body(BusFixture { broker.client($0) })
            }
        }
    }
}
