import BusClient
import EventLoop
import Foundation
import Logging
import NATSClient
import StoreModels
import StorebusTesting

extension StoreStack {
    /// Joins this store's bus, as any service would, for as long as the body runs.
    func withBus<Value: Sendable>(
        _ name: String, _ body: @Sendable (any BusClient) async throws -> Value
    ) async throws -> Value {
        let address = try busAddress()
        let loop = try UVLoop.start(name: name)
        let bus = address.connect(name: name, loop: loop, logger: Logger(label: name))
        let outcome: Result<Value, any Error>
        do {
            // The broker may have been started again a moment ago.
            try await bus.waitUntilConnected(timeout: .seconds(10))
            outcome = .success(try await body(bus))
        } catch {
            outcome = .failure(error)
        }
        await bus.close()
        await loop.close()
        return try outcome.get()
    }

    /// The store's bus, with the token of its own broker; a bus that it only joined asks for none in these tests.
    private func busAddress() throws -> BusAddress {
        let record = try Data(contentsOf: URL(fileURLWithPath: directory.file("run/up.json")))
        guard let text = try StrictJSON.parse(Array(record))["busURL"]?.stringValue else {
            throw StackError("run/up.json names no busURL")
        }
        var address = try BusAddress(parsing: text)
        if case .storebus = address {
            let token = try String(contentsOfFile: directory.file("bus.token"), encoding: .utf8)
            address.add(secret: token.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return address
    }
}
