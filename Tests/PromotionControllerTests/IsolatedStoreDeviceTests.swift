import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: an isolated store has devices, prompts and intents of its own.
@Suite struct IsolatedStoreDeviceTests {
    private static let apps =
        [PromotionTestStore.bundleId]
        + [7, 8].map { IsolatedApp(shownBundleId: PromotionTestStore.bundleId, number: $0, seed: 42).bundleId }

    @Test(arguments: Engine.allCases)
    func `a device of one name is another in each store, and goes with it`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let phones = Self.apps.map { store.phone(bundleId: $0) }
            for (number, phone) in phones.enumerated() { try await phone.launch(osVersion: "17.\(number)") }
            for (number, phone) in phones.enumerated() {
                let device = try await phone.state()
                #expect(device.osVersion == "17.\(number)")
                #expect(device.apps.map(\.bundleId) == [PromotionTestStore.bundleId])
                #expect(try await store.devices(in: phone.named.scope).devices == [device])
            }
            // What one store's operator does, the others do not see.
            let others = [try await phones[0].state(), try await phones[2].state()]
            try await phones[1].openStore(osVersion: "18.0")
            try await phones[1].setOrder(["coins"])
            let intent = try await phones[1].begin()
            #expect(try await store.search().intents.isEmpty)
            #expect(try await store.search(bundleId: Self.apps[1]).intents.map(\.intentIdentifier) == [intent])
            let intents = [try await phones[0].begin(), try await phones[2].begin()]
            _ = try await phones[1].call(PromotionEndpoints.deleteDevice, phones[1].named)
            #expect(try await [phones[0].state(), phones[2].state()] == others)
            #expect(try await phones[1].get(intent).state == .cancelled)
            #expect(try await phones[0].get(intents[0]).state == .pending)
            #expect(try await phones[2].get(intents[1]).state == .pending)

            try await phones[1].launch()
            _ = try await store.caller.call(PromotionEndpoints.removeApp, RemoveAppRequest(bundleId: Self.apps[1]))
            #expect(try await store.devices(in: phones[1].named.scope).devices.isEmpty)
            #expect(try await [phones[0].state(), phones[2].state()] == others)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a prompt is answered in its own store only`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let scopes = Self.apps.map(IsolationScope.init(of:))
            for (app, scope) in zip(Self.apps, scopes) {
                let phone = store.phone(bundleId: app)
                try await phone.openStore()
                _ = try await phone.start { $0.charge(forApp: 499) }
                let prompt = try #require(try await store.prompts(in: scope).first)
                for other in scopes where other != scope {
                    #expect(try await store.prompts(in: other).isEmpty)
                    let foreign = try await refusal { try await store.answer(prompt.id, .approve, in: other) }
                    #expect(foreign?.code == .notFound)
                    let missing = try await refusal { try await store.answer("ap_none", .approve, in: other) }
                    #expect(foreign == missing)
                }
                #expect(try await phone.state().apps.isEmpty)
                try await store.answer(prompt.id, .approve, in: scope)
                #expect(try await phone.state().apps.map(\.bundleId) == [PromotionTestStore.bundleId])
            }
        }
    }
}
