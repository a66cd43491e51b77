import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Devices as the operator sets them up, and what a session says of them.
@Suite struct CommandDeviceTests {
    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    private let here = "/admin/v1/devices/alice-1/apps/com.example.app"

    // MARK: Sessions

    @Test func `a session says of a device and an app what is known of them`() async throws {
        let store = FakeStore()
        _ = await store.run("device", "add", "alice-1", "--as", "alice")
        let session = try body(store.requests(.post, "/v1/sessions").first)
        #expect(session["platform"] == "iPadOS" && session["osVersion"] == "17.4")
        #expect(session["appVersion"] == "2.1" && session["promotedPurchases"] == "purchaseIntent")
    }

    @Test func `a new device is a telephone with the app's present version and a delegate`() async throws {
        let store = FakeStore()
        _ = await store.run("device", "add", "alice-3", "--as", "alice")
        let session = try body(store.requests(.post, "/v1/sessions").first)
        #expect(session["platform"] == "iOS" && session["osVersion"] == "18.0")
        #expect(session["appVersion"] == "3.0" && session["promotedPurchases"] == "delegate")
    }

    @Test func `without the admin key the store is not asked before a session`() async throws {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["restore", "--as", "alice"], variables: ["STOREBUS_URL": "http://store"], transport: store)
        #expect(status == .success)
        #expect(store.requests.first?.path == "/v1/sessions")
        #expect(try body(store.requests.first)["appVersion"] == "1.0")
    }

    @Test func `what a device was is forgotten when it becomes another`() async throws {
        let directory = try TemporaryDirectory()
        let store = FakeStore()
        let api = StoreAPI(transport: store, url: "http://store", adminKey: "admin")
        let keeper = SessionCache(api: api, directory: directory.path)
        let installations = [
            Installation(bundleId: "com.example.app", account: "alice", deviceId: "alice-1"),
            Installation(bundleId: "com.example.app", account: "bob", deviceId: "alice-1"),
            Installation(bundleId: "com.example.other", account: "alice", deviceId: "alice-1"),
            Installation(bundleId: "com.example.app", account: "alice", deviceId: "malice-1"),
        ]
        func opened(by forget: () -> Void) async throws -> Int {
            for installation in installations { _ = try await keeper.session(installation) }
            let before = store.requests(.post, "/v1/sessions").count
            forget()
            for installation in installations { _ = try await keeper.session(installation) }
            return store.requests(.post, "/v1/sessions").count - before
        }
        #expect(try await opened {} == 0)
        #expect(try await opened { keeper.forget("com.example.app", on: "alice-1") } == 2)
        #expect(try await opened { keeper.forget(on: "alice-1") } == 3)
        #expect(try await opened { keeper.forget(on: "nobody's") } == 0)
    }

    // MARK: Devices

    @Test func `a device's system is changed part by part`() async throws {
        let store = FakeStore()
        _ = await store.run("device", "put", "alice-1", "--os-version", "16.3")
        store.answer("PUT /admin/v1/devices/watch", JSONText.value(Promoted.device()))
        _ = await store.run("device", "put", "watch", "--platform", "watchOS")
        let changed = try body(store.requests(.put, "/admin/v1/devices/alice-1").first)
        #expect(changed == ["platform": "iPadOS", "osVersion": "16.3"])
        let new = try body(store.requests(.put, "/admin/v1/devices/watch").first)
        #expect(new == ["platform": "watchOS", "osVersion": "18.0"])
    }

    @Test func `M58, M71: a device shows its apps, what they have set, and why it supports no promotions`() async {
        let store = FakeStore()
        let (status, said) = await store.run("device", "show", "alice-1")
        #expect(status == .success)
        #expect(
            said.result == """
                device      alice-1
                system      iPadOS 17.4
                promotions  supported
                app         com.example.app 2.1, launched, promoted purchases: purchaseIntent
                  order     hidden-beaches, gone
                  show      hidden-beaches
                  hide      pro.monthly

                """)
        let old = Promoted.device(platform: .iOSAppOnVisionOS)
        store.answer("GET /admin/v1/devices/alice-1", JSONText.value(old))
        let unsupported = await store.run("device", "show", "alice-1").said
        #expect(unsupported.result.contains("promotions  unsupported: Promoted in-app purchases are not available"))
    }

    @Test func `M75: an app is installed in a version, and handles promoted purchases in one way`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run(
            "device", "install", "alice-1", "--app-version", "1.9", "--promoted-purchases", "none")
        #expect(status == .success)
        #expect(try body(store.requests(.put, here).first) == ["version": "1.9", "promotedPurchases": "none"])
        #expect(said.narration == "next: storebus device add alice-1 --as alice\n")
        _ = await store.run("device", "install", "alice-1")
        #expect(try body(store.requests(.put, here).last) == ["version": "3.0"])
        #expect(store.requests(.put, "/admin/v1/devices/alice-1").isEmpty)
    }

    @Test func `installing on an unknown device creates it first`() async throws {
        let store = FakeStore()
        let device = JSONText.value(Promoted.device())
        store.answer("PUT /admin/v1/devices/new", device)
        store.answer("PUT /admin/v1/devices/new/apps/com.example.app", device)
        let (status, _) = await store.run("device", "install", "new")
        #expect(status == .success)
        #expect(
            store.requests.filter { $0.method == .put }.map(\.path)
                == ["/admin/v1/devices/new", "/admin/v1/devices/new/apps/com.example.app"])
    }

    @Test func `M96: an app is deleted from a device`() async {
        let store = FakeStore()
        let (status, said) = await store.run("device", "uninstall", "alice-1")
        #expect(status == .success)
        #expect(said.result == "deleted  com.example.app on alice-1\n")
        #expect(store.requests(.delete, here).count == 1)
        let empty = Device(deviceId: "alice-1", platform: .iOS, osVersion: "18.0")
        store.answer("GET /admin/v1/devices/alice-1", JSONText.value(empty))
        let again = await store.run("device", "uninstall", "alice-1")
        #expect(again.status == .success)
        #expect(again.said.result == "not there  com.example.app on alice-1\n")
        #expect(store.requests(.delete, here).count == 1)
    }

    @Test func `a device is deleted after a yes, and not without`() async {
        let store = FakeStore()
        #expect(await store.run("device", "delete", "alice-1").status == .usage)
        let dry = await store.run("device", "delete", "alice-1", "--dry-run").said
        #expect(dry.result == "would delete  alice-1 with 1 app\n")
        #expect(store.requests(.delete, "/admin/v1/devices/alice-1").isEmpty)
        let (status, said) = await store.run("device", "delete", "alice-1", "--yes")
        #expect(status == .success)
        #expect(said.result == "deleted  alice-1 with 1 app\n")
        #expect(store.requests(.delete, "/admin/v1/devices/alice-1").count == 1)
    }

    @Test func `the list joins what was bought with what is known, app by app`() async {
        let store = FakeStore()
        let tablet = Device(deviceId: "tablet", platform: .iPadOS, osVersion: "17.0")
        store.answer(
            "GET /admin/v1/devices", JSONText.value(DevicesPage(devices: [Promoted.device(), tablet])))
        let (status, said) = await store.run("device", "list")
        #expect(status == .success)
        #expect(
            said.result == """
                DEVICE   ACCOUNT  SYSTEM       APP              VERSION  LAUNCHED  TRANSACTIONS  UNFINISHED
                alice-1  alice    iPadOS 17.4  com.example.app  2.1      yes                  1           1
                tablet   -        iPadOS 17.0  -                -        -                    0           0

                """)
        let alices = await store.run("device", "list", "--as", "alice", "-o", "names").said
        #expect(alices.result == "alice-1\n")
    }
}
