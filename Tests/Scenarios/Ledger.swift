import BusClient
import BusService
import EventLoop
import Foundation
import Logging
import StoreModels
import StorebusTesting

/// Reads the payment processor's own books, over the bus as any service would.
enum Ledger {
    /// Every charge, oldest first.
    static func charges(of store: StoreStack) async throws -> [Charge] {
        let url = try busURL(of: store)
        let loop = try UVLoop.start(name: "ledger")
        let bus = SBPClient(
            configuration: .init(url: url, name: "ledger"), loop: loop, logger: Logger(label: "ledger"))
        bus.start()
        let charges: Result<[Charge], any Error>
        do {
            // The broker may have been started again a moment ago.
            try await bus.waitUntilConnected(timeout: .seconds(10))
            charges = .success(try await read(ServiceCaller(bus: bus, caller: "ledger", retries: true)))
        } catch {
            charges = .failure(error)
        }
        await bus.close()
        await loop.close()
        return try charges.get()
    }

    private static func busURL(of store: StoreStack) throws -> BusURL {
        let record = try Data(contentsOf: URL(fileURLWithPath: store.directory.file("run/up.json")))
        guard let text = try StrictJSON.parse(Array(record))["busURL"]?.stringValue else {
            throw StackError("run/up.json names no busURL")
        }
        var url = try BusURL(parsing: text)
        url.token = try String(contentsOfFile: store.directory.file("bus.token"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return url
    }

    private static func read(_ services: ServiceCaller) async throws -> [Charge] {
        var charges: [Charge] = []
        var after: String?
        repeat {
            let page = try await services.call(
                ProcessorEndpoints.listCharges, ChargeListRequest(after: after, limit: 500), context: CallContext())
            charges += page.charges
            after = page.after
        } while after != nil
        return charges
    }
}
