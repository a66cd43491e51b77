import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// Devices and the apps on them, as the operator manages them.
@Suite struct GatewayDeviceTests {
    private let key = Sample.adminKey
    private let devices = "/admin/v1/devices"

    @Test func `a device is made, changed, listed and deleted`() async throws {
        try await GatewayHarness.run { store in
            let path = "\(devices)/tablet-1"
            #expect(try await store.send(.GET, path, token: key).status == 404)
            let made = try await store.send(
                .PUT, path, token: key, body: #"{"platform":"iPadOS","osVersion":"17.4"}"#)
            #expect(made.status == 200)
            #expect(try made.decode(Device.self) == Device(deviceId: "tablet-1", platform: .iPadOS, osVersion: "17.4"))
            _ = try await store.session()
            let list = try await store.send(.GET, "\(devices)?limit=1", token: key)
            #expect((list.json["devices"]?.arrayValue ?? []).map { $0["deviceId"] } == ["alice-1"])
            #expect(list.json["after"] == "alice-1")
            let rest = try await store.send(.GET, "\(devices)?after=alice-1", token: key)
            #expect((rest.json["devices"]?.arrayValue ?? []).map { $0["deviceId"] } == ["tablet-1"])
            for _ in 0..<2 { #expect(try await store.send(.DELETE, path, token: key).status == 204) }
            #expect(try await store.send(.GET, path, token: key).status == 404)
        }
    }

    @Test func `a session makes the device and the app on it known`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session(client: "store")
            let device = try await store.send(.GET, "\(devices)/alice-1", token: key)
            #expect(device.json["apps"] == .array([]), "the store launches nothing")
            _ = try await store.session(promoted: "delegate")
            let app = try await store.send(.GET, "\(devices)/alice-1", token: key).json["apps"]?.arrayValue?.first
            #expect(app?["isLaunched"] == true)
            #expect(app?["promotedPurchases"] == "delegate")
        }
    }

    @Test func `an app is installed, upgraded and deleted without a launch (M75, M96)`() async throws {
        try await GatewayHarness.run { store in
            let path = "\(devices)/alice-1/apps/com.example.app"
            let body = #"{"version":"2.0","promotedPurchases":"delegate"}"#
            #expect(try await store.send(.PUT, path, token: key, body: body).status == 404, "no such device")
            _ = try await store.session(client: "store")
            let installed = try await store.send(.PUT, path, token: key, body: body)
            #expect(installed.status == 200)
            let app = installed.json["apps"]?.arrayValue?.first
            #expect(app?["version"] == "2.0")
            #expect(app?["isLaunched"] == false)
            let upgraded = try await store.send(.PUT, path, token: key, body: #"{"version":"2.1"}"#)
            #expect(upgraded.json["apps"]?.arrayValue?.first?["promotedPurchases"] == "delegate", "as it was")
            for _ in 0..<2 { #expect(try await store.send(.DELETE, path, token: key).status == 204) }
            #expect(try await store.send(.GET, "\(devices)/alice-1", token: key).json["apps"] == .array([]))
            let other = try await store.send(.PUT, "\(devices)/alice-1/apps/com.example.none", token: key, body: body)
            #expect(other.status == 404, "no such app")
        }
    }

    @Test(arguments: [
        #"{"platform":"iOS","osVersion":"beta"}"#, #"{"platform":"iOS","osVersion":""}"#, #"{"platform":"iOS"}"#,
        #"{"platform":"amiga","osVersion":"1"}"#, #"{"platform":"iOS","osVersion":"1","name":"x"}"#, "[]",
    ])
    func `a wrong device is refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.PUT, "\(devices)/d", token: key, body: body)
            #expect(answer.status == 400)
            #expect(store.promotions.contents.withLock { $0.devices.isEmpty })
        }
    }

    @Test(arguments: [
        #"{"version":"one"}"#, "{}", #"{"version":"1.0","promotedPurchases":"both"}"#,
        #"{"version":"1.0","launched":true}"#,
    ])
    func `a wrong version of an app is refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session(client: "store")
            let path = "\(devices)/alice-1/apps/com.example.app"
            #expect(try await store.send(.PUT, path, token: key, body: body).status == 400)
        }
    }

    @Test(arguments: [
        ("iOS", "16.3", false), ("iOS", "16.4", true), ("macOS", "14.3.1", false), ("tvOS", "18.0", false),
        ("visionOS", "1.0", true), ("iOSAppOnVisionOS", "17.0", false), ("other", "unknown", true),
        ("iOS", "new", false),
    ])
    func `a session declares PurchaseIntent where there is one (M59)`(
        platform: String, version: String, isSupported: Bool
    ) async throws {
        try await GatewayHarness.run { store in
            let body =
                #"{"bundleId":"com.example.app","deviceId":"d","account":"alice","platform":"\#(platform)","#
                + #""osVersion":"\#(version)","appVersion":"1.0","promotedPurchases":"purchaseIntent"}"#
            let answer = try await store.send(.POST, "/v1/sessions", body: body)
            #expect(answer.status == (isSupported ? 201 : 409))
            if !isSupported {
                #expect(answer.code == "promotionUnsupported")
                #expect(store.payments.contents.withLock { $0.openRequests.isEmpty }, "nothing is recorded")
                #expect(store.promotions.launches.all.isEmpty)
            }
        }
    }
}
