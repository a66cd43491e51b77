import BusClient
import BusService
import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

@Suite struct PromotionControllerServiceTests {
    private let logger = Logger(label: "test")
    private let launch = DeviceLaunch(
        bundleId: "com.example.app", deviceId: "alice-1", platform: .iOS, osVersion: "17.0", appVersion: "1.0",
        promotedPurchases: .delegate)

    @Test func `a launch is remembered over a restart, and the next one replaces what changed`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("promotion-controller.sqlite")
        try await withRepository(path) { try await $0.recordLaunch(launch, at: Timestamp(milliseconds: 1)) }
        var updated = launch
        updated.appVersion = "2.0"
        updated.osVersion = "17.1"
        let second = updated
        try await withRepository(path) { repository in
            #expect(try await repository.lastLaunch(bundleId: "com.example.app", deviceId: "alice-1") == launch)
            try await repository.recordLaunch(second, at: Timestamp(milliseconds: 2))
            #expect(try await repository.lastLaunch(bundleId: "com.example.app", deviceId: "alice-1") == second)
        }
    }

    @Test func `M94: an app that was never launched on a device has no installation there`() async throws {
        let directory = try TemporaryDirectory()
        try await withRepository(directory.file("p.sqlite")) { repository in
            try await repository.recordLaunch(launch, at: Timestamp(milliseconds: 1))
            #expect(try await repository.lastLaunch(bundleId: "com.example.app", deviceId: "alice-2") == nil)
            #expect(try await repository.lastLaunch(bundleId: "com.other", deviceId: "alice-1") == nil)
        }
    }

    @Test func `M70: without an order of its own a device sees the operator's`() async throws {
        let answer = try await list(catalog: ["hiddenBeaches", "pro.monthly", "fishingHotSpots"])
        #expect(answer.products.map(\.productIdentifier) == ["hiddenBeaches", "pro.monthly", "fishingHotSpots"])
    }

    @Test func `Catalog away: the list is unavailable, never empty`() async throws {
        await #expect { try await list(catalog: nil) } throws: { ($0 as? StoreError)?.code == .serviceUnavailable }
    }

    private func withRepository(_ path: String, _ body: (DeviceRepository) async throws -> Void) async throws {
        let database = try SQLiteDatabase.open(
            path: path, holder: "test", migrations: PromotionControllerService.migrations, logger: logger)
        do {
            try await body(DeviceRepository(database: database))
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func list(catalog: [String]?) async throws -> PromotionsReply {
        let directory = try TemporaryDirectory()
        let bus = InMemoryBus()
        func service(_ name: ServiceName) -> BusService {
            BusService(name: name, version: "test", bus: bus.client(name: name.rawValue), logger: logger)
        }
        let database = try SQLiteDatabase.open(
            path: directory.file("p.sqlite"), holder: "test", migrations: PromotionControllerService.migrations,
            logger: logger)
        let promotions = service(.promotionController)
        let caller = ServiceCaller(bus: bus.client(name: "p"), caller: "promotion-controller")
        PromotionControllerService(database: database, services: caller).register(on: promotions)
        var services = [promotions]
        if let catalog {
            let products = try catalog.map { identifier in
                Product(
                    productIdentifier: identifier, type: .consumable, localizedTitle: identifier,
                    localizedDescription: "",
                    price: Money(minorUnits: 99, currency: try #require(Currency(code: "USD"))),
                    priceLocale: "en_US@currency=USD")
            }
            let standIn = service(.catalog)
            standIn.handle(CatalogEndpoints.listPromotions) { _, _ in
                PromotedProductsReply(products: products, catalogVersion: 1)
            }
            services.append(standIn)
        }
        let running = services
        let result = await Result {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in running { group.addTask { try await service.run() } }
                for service in running { await service.ready() }
                defer { group.cancelAll() }
                let request = PromotionsRequest(bundleId: "com.example.app", deviceId: "alice-1", storefront: "USA")
                return try await ServiceCaller(bus: bus.client(name: "t"), caller: "t")
                    .call(PromotionEndpoints.listPromotions, request, context: CallContext())
            }
        }
        await database.close()
        return try result.get()
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous body returned or threw, so that something can be closed in between.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
