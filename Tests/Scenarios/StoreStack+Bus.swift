import BusClient
import EventLoop
import Foundation
import Logging
import StoreModels
import StorebusTesting

extension StoreStack {
    /// Joins this store's bus, as any service would, for as long as the body runs.
    func withBus<Value: Sendable>(
        _ name: String, _ body: @Sendable (any BusClient) async throws -> Value
    ) async throws -> Value {
        let url = try busURL()
        let loop = try UVLoop.start(name: name)
        let bus = SBPClient(configuration: .init(url: url, name: name), loop: loop, logger: Logger(label: name))
        bus.start()
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

    private func busURL() throws -> BusURL {
        let record = try Data(contentsOf: URL(fileURLWithPath: directory.file("run/up.json")))
        guard let text = try StrictJSON.parse(Array(record))["busURL"]?.stringValue else {
            throw StackError("run/up.json names no busURL")
        }
        var url = try BusURL(parsing: text)
        url.token = try String(contentsOfFile: directory.file("bus.token"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return url
    }
}
