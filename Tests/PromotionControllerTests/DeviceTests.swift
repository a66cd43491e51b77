import BusService
import StoreModels
import StorebusTesting
import Testing

/// Goal: the store knows devices and the apps on them as sessions and the operator say.
@Suite(.serialized) struct DeviceTests {
    @Test(arguments: Engine.allCases)
    func `a launch makes the device and the installation, and the next one replaces what changed`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            try await alice.launch(version: "1.0", .delegate, osVersion: "17.3")
            try await alice.launch(version: "2.0", .purchaseIntent, osVersion: "17.4")
            try await store.restartController()
            #expect(
                try await alice.state()
                    == Device(
                        deviceId: "alice-1", platform: .iOS, osVersion: "17.4",
                        apps: [
                            Device.InstalledApp(
                                bundleId: PromotionTestStore.bundleId, version: "2.0",
                                promotedPurchases: .purchaseIntent,
                                isLaunched: true)
                        ]))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the operator installs and upgrades without a launch, and deletes`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            #expect(try await refusal { try await alice.install(version: "1.0") }?.code == .notFound)
            try await alice.openStore()
            #expect(try await alice.state().apps == [])
            try await alice.install(version: "1.0")
            #expect(try await alice.state().apps.map(\.isLaunched) == [false])
            #expect(try await alice.state().apps.map(\.promotedPurchases) == [nil])
            try await alice.launch(version: "1.0", .delegate)
            try await alice.install(version: "2.0")
            let upgraded = try #require(try await alice.state().apps.first)
            #expect(upgraded.version == "2.0" && upgraded.isLaunched && upgraded.promotedPurchases == .delegate)
            try await alice.delete()
            try await alice.delete()
            #expect(try await alice.state().apps == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M59: PurchaseIntent where there is none is refused, and nothing is recorded`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            let error = try await refusal { try await alice.launch(.purchaseIntent, osVersion: "16.3") }
            #expect(error?.code == .promotionUnsupported)
            #expect(error?.message.contains("16.4") == true)
            #expect(try await refusal { try await alice.state() }?.code == .notFound)
            try await alice.launch(.delegate, osVersion: "16.3")
            #expect(
                try await refusal { try await alice.install(version: "2.0", .purchaseIntent) }?.code
                    == .promotionUnsupported)
            #expect(try await alice.state().apps.map(\.version) == ["1.0"])
        }
    }

    @Test func `a version that cannot be read is refused where the operator names it`() async throws {
        try await PromotionTestStore.with { store in
            let alice = store.phone()
            #expect(try await refusal { try await alice.openStore(osVersion: "17.x") }?.code == .requestInvalid)
            try await alice.openStore()
            #expect(try await refusal { try await alice.install(version: "one") }?.code == .requestInvalid)
            // A session may come with what it likes.
            try await alice.launch(version: "1.0-beta", osVersion: "17.4 (21E217)")
        }
    }

    @Test(arguments: Engine.allCases)
    func `M96: a deleted device is forgotten with its apps, overrides and prompts, and its intents are cancelled`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, other) = (try await store.launchedPhone("alice-1"), try await store.launchedPhone("alice-2"))
            try await alice.setOrder(["h"])
            let (open, kept) = (try await alice.begin(), try await other.begin())
            let decided = try await alice.begin("gems")
            try await alice.decide(.continue, decided)
            let paid = store.phone("alice-1", bundleId: "com.example.paid")
            _ = try await paid.start { $0.charge(forApp: 499) }
            #expect(try await store.prompts().count == 1)
            _ = try await alice.call(PromotionEndpoints.deleteDevice, ScopedIdentifier("alice-1", in: .installation))
            _ = try await alice.call(PromotionEndpoints.deleteDevice, ScopedIdentifier("alice-1", in: .installation))
            #expect(try await refusal { try await alice.state() }?.code == .notFound)
            #expect(try await store.prompts().isEmpty)
            #expect(try await alice.get(open).state == .cancelled)
            #expect(try await alice.get(open).feedback == "the device was deleted")
            #expect(try await alice.get(decided).state == .continued)
            #expect(try await paid.intents().map(\.state) == [.cancelled])
            #expect(try await other.get(kept).state == .pending)
            try await alice.launch()
            #expect(try await alice.promotions().overrides == PromotionOverrides())
            #expect(try await alice.deliver().intents.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `devices are listed in pages`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            for number in 1...5 { try await store.phone("d\(number)").launch() }
            let first = try await store.devices(limit: 2)
            #expect(first.devices.map(\.deviceId) == ["d1", "d2"])
            #expect(first.devices.allSatisfy { $0.apps.count == 1 })
            let second = try await store.devices(after: first.after, limit: 2)
            let third = try await store.devices(after: second.after, limit: 2)
            #expect(third.devices.map(\.deviceId) == ["d5"] && third.after == nil)
            #expect(try await refusal { try await store.devices(limit: 0) }?.code == .requestInvalid)
        }
    }
}
