import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// The operator's promotions, what a device has set, and the store as it shows them.
@Suite struct PromotionTests {
    private static let promotions = "/admin/v1/apps/com.example.app/promotions"
    private static let here = "/admin/v1/devices/alice-1/apps/com.example.app"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    private func entry(_ product: String, _ visible: Bool) -> JSONValue {
        ["productIdentifier": .string(product), "visible": .bool(visible)]
    }

    // MARK: The operator's list (M67, M68)

    @Test func `M67: the list is exactly what is named, and what was hidden stays so`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("promo", "order", "hidden-beaches", "pro.monthly")
        #expect(status == .success)
        #expect(
            try body(store.requests(.put, Self.promotions).first)
                == [entry("hidden-beaches", false), entry("pro.monthly", true)])
        #expect(said.result.hasPrefix("PLACE  PRODUCT"))
        #expect(said.narration.contains("next: storebus promo image approve fishing\n"))
    }

    @Test func `M68: hiding and showing change one entry, and add one that is not there`() async throws {
        let store = FakeStore()
        _ = await store.run("promo", "hide", "pro.monthly")
        _ = await store.run("promo", "show", "hidden-beaches")
        _ = await store.run("promo", "show", "atlas")
        _ = await store.run("promo", "default", "hidden-beaches")
        let sent = try store.requests(.put, Self.promotions).map { try body($0) }
        let list = [entry("pro.monthly", true), entry("hidden-beaches", false), entry("fishing", true)]
        #expect(sent[0] == .array([entry("pro.monthly", false)] + list[1...]))
        #expect(sent[1] == .array([list[0], entry("hidden-beaches", true), list[2]]))
        #expect(sent[2] == .array(list + [entry("atlas", true)]))
        #expect(sent[3] == sent[1])
    }

    @Test func `a reset puts the catalogue's order back, and what it cannot place behind`() async throws {
        let store = FakeStore()
        var setup = Promoted.setup
        setup.promotions.reverse()
        store.answer("GET \(Self.promotions)", JSONText.value(setup))
        _ = await store.run("promo", "default")
        #expect(
            try body(store.requests(.put, Self.promotions).first)
                == [entry("pro.monthly", true), entry("hidden-beaches", true), entry("fishing", true)])
    }

    @Test func `a preview says that it is one, and that it is over`() async {
        let store = FakeStore()
        store.answer("GET \(Self.promotions)", JSONText.value(Promoted.preview))
        let list = await store.run("promo", "list").said
        #expect(list.narration.contains("note: nothing is set up yet: this is a preview"))
        #expect(list.result.hasSuffix("1  pro.monthly  yes      yes       -\n"))
        let order = await store.run("promo", "order", "pro.monthly").said
        #expect(order.narration.contains("note: the preview is over"))
    }

    @Test func `an order without products is only a device's to clear`() async {
        let store = FakeStore()
        #expect(await store.run("promo", "order").status == .usage)
        #expect(store.requests.isEmpty)
        #expect(await store.run("promo", "order", "--device", "alice-1").status == .success)
    }

    // MARK: A device's overrides (M87–M105)

    @Test func `M89: with a device the overrides are sent, and nothing of the operator's`() async throws {
        let store = FakeStore()
        _ = await store.run("promo", "order", "hidden-beaches", "pro.monthly", "--device", "alice-1")
        _ = await store.run("promo", "hide", "pro.monthly", "--device", "alice-1")
        _ = await store.run("promo", "default", "pro.monthly", "--device", "alice-1")
        #expect(
            try body(store.requests(.put, "\(Self.here)/promotions/order").first)
                == ["productIdentifiers": ["hidden-beaches", "pro.monthly"]])
        let visibility = store.requests(.put, "\(Self.here)/promotions/visibility/pro.monthly")
        #expect(try body(visibility[0]) == ["visibility": "hide"])
        #expect(try body(visibility[1]) == ["visibility": "default"])
        #expect(store.requests(.put, Self.promotions).isEmpty)
    }

    @Test func `M102: a reset clears the device's order and every visibility, and nothing else`() async throws {
        let store = FakeStore()
        _ = await store.run("promo", "default", "--device", "alice-1")
        let sent = store.requests.filter { $0.method == .put }
        #expect(
            sent.map(\.path) == [
                "\(Self.here)/promotions/order", "\(Self.here)/promotions/visibility/hidden-beaches",
                "\(Self.here)/promotions/visibility/pro.monthly",
            ])
        #expect(try body(sent[0]) == ["productIdentifiers": []])
        store.answer("GET /admin/v1/devices/alice-1", JSONText.value(Promoted.device(overrides: PromotionOverrides())))
        _ = await store.run("promo", "default", "--device", "alice-1")
        #expect(store.requests.filter { $0.method == .put }.count == sent.count)
    }

    @Test func `M88, M99: a device's list says what is shown, what it has set and what the operator has`() async {
        let (_, said) = await FakeStore().run("promo", "list", "--device", "alice-1")
        #expect(
            said.result == """
                PLACE  PRODUCT         SHOWN  ORDER HERE  VISIBILITY HERE  OPERATOR    REASON
                    1  hidden-beaches  yes             1  show             hidden
                    -  pro.monthly     no              -  hide             visible
                    -  fishing         no              -  default          visible     imageWaitingForReview
                    -  gone            no              2  default          not listed  notInPromotions

                """)
        #expect(said.narration == "next: storebus promo page --device alice-1\n")
    }

    @Test(arguments: [
        (nil, "unknown device"), (Promoted.device(isLaunched: false), "has never been launched here"),
        (Promoted.device(osVersion: "10.3.3", platform: .iOS), "need iOS 11.0 or later"),
        (Device(deviceId: "alice-1", platform: .iOS, osVersion: "18.0"), "the app is not on this device"),
    ])
    func `M58, M94: why nothing of a device's own counts is said`(device: Device?, sentence: String) async {
        let store = FakeStore()
        if let device {
            store.answer("GET /admin/v1/devices/alice-1", JSONText.value(device))
        } else {
            store.answer("GET /admin/v1/devices/alice-1", status: 404, StubTransport.problem(404, .notFound))
        }
        let (status, said) = await store.run("promo", "list", "--device", "alice-1")
        #expect(status == .success)
        #expect(said.narration.contains(sentence), "\(said.narration)")
        if device?.osVersion == "10.3.3" { #expect(!said.result.contains("yes")) }
    }

    @Test func `M94: before the first launch the way to it is named`() async {
        let store = FakeStore()
        store.answer(
            "PUT \(Self.here)/promotions/order", status: 409, StubTransport.problem(409, .appNeverLaunched))
        let (status, said) = await store.run("promo", "order", "pro.monthly", "--device", "alice-1")
        #expect(status == .refused)
        #expect(said.narration.contains("[appNeverLaunched]"))
        #expect(said.narration.contains("launch it: storebus device add alice-1 --as alice\n"))
    }

    // MARK: Images (M66)

    @Test func `M66: an image is sent as it is, waits, and is approved or rejected`() async throws {
        let directory = try TemporaryDirectory()
        try FileAccess.write(Promoted.bytes, to: directory.file("beach.png"), mode: 0o600)
        let store = FakeStore()
        let image = "/admin/v1/apps/com.example.app/products/hidden-beaches/promotion-image"
        let put = await store.run("promo", "image", "put", "hidden-beaches", directory.file("beach.png"))
        #expect(put.status == .success)
        #expect(put.said.result == "waiting  hidden-beaches  png 1024×1024  73412 bytes  sha256 9f86d081\n")
        #expect(put.said.narration == "next: storebus promo image approve hidden-beaches\n")
        #expect(store.requests(.put, image).first?.body == Promoted.bytes)
        #expect(store.requests(.post, "\(image)/approve").isEmpty)
        let approved = await store.run(
            "promo", "image", "put", "hidden-beaches", directory.file("beach.png"), "--approve")
        #expect(approved.said.result.hasPrefix("approved  hidden-beaches"))
        let rejected = await store.run("promo", "image", "reject", "hidden-beaches", "--reason", "blurred")
        #expect(rejected.said.result.hasSuffix("  blurred\n"))
        #expect(try body(store.requests(.post, "\(image)/reject").first) == ["reason": "blurred"])
    }

    @Test func `an image comes back as it was uploaded, under a name that says what it is`() async throws {
        let directory = try TemporaryDirectory()
        let store = FakeStore()
        let (status, said) = await store.run(
            "promo", "image", "get", "hidden-beaches", "--to", directory.file("beach"))
        #expect(status == .success)
        #expect(said.result == "written  \(directory.file("beach"))  png  8 bytes\n")
        #expect(try FileAccess.read(directory.file("beach"), byteCountMax: 100) == Promoted.bytes)
        let image = "/admin/v1/apps/com.example.app/products/pro.monthly/promotion-image"
        store.answer("GET \(image)", bytes: [0xFF, 0xD8, 0xFF])
        let here = await Recorder.run(
            ["promo", "image", "get", "pro.monthly"],
            variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], directory: directory.path,
            transport: store)
        #expect(here.said.result.contains("/pro.monthly.jpeg  jpeg  3 bytes"))
    }

    @Test func `without an image the way to one is named, and a missing file before anything is asked`() async {
        let store = FakeStore()
        let image = "/admin/v1/apps/com.example.app/products/pro.monthly/promotion-image"
        store.answer("POST \(image)/approve", status: 404, StubTransport.problem(404, .notFound))
        let (status, said) = await store.run("promo", "image", "approve", "pro.monthly")
        #expect(status == .refused)
        #expect(said.narration.contains("upload one: storebus promo image put pro.monthly FILE"))
        let count = store.requests.count
        #expect(await store.run("promo", "image", "put", "pro.monthly", "/nowhere/x.png").status == .noSuchFile)
        #expect(store.requests.count == count)
    }

    // MARK: The featured tab

    @Test func `an app's featured products take the place of its own, and leave other apps'`() async throws {
        let store = FakeStore()
        _ = await store.run("promo", "featured", "hidden-beaches", "pro.monthly")
        _ = await store.run("promo", "featured", "--none")
        let sent = try store.requests(.put, "/admin/v1/featured").map { try body($0) }
        let other: JSONValue = ["bundleId": "com.example.other", "productIdentifier": "first"]
        #expect(
            sent[0] == [
                other, ["bundleId": "com.example.app", "productIdentifier": "hidden-beaches"],
                ["bundleId": "com.example.app", "productIdentifier": "pro.monthly"],
            ])
        #expect(sent[1] == [other])
        #expect(await store.run("promo", "featured", "x", "--none").status == .usage)
        _ = await store.run("promo", "featured")
        #expect(store.requests(.put, "/admin/v1/featured").count == 2)
    }

    // MARK: The page

    @Test func `the page is asked for as the store, on the device as it is known`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("promo", "page", "--device", "alice-1")
        #expect(status == .success)
        #expect(
            try body(store.requests(.post, "/v1/sessions").first) == [
                "client": "store", "bundleId": "com.example.app", "account": "alice", "deviceId": "alice-1",
                "platform": "iPadOS", "osVersion": "17.4",
            ])
        #expect(
            said.result == """
                PLACE  PRODUCT         TITLE                               PRICE  OFFER        ELIGIBLE  OWNED
                    1  pro.monthly     Title of pro.monthly     9.99 USD a month  1 week free  eligible  yes
                    2  hidden-beaches  Title of hidden-beaches          1.99 USD  -            -         no

                """)
        #expect(said.narration == "next: storebus intent hidden-beaches --as alice\n")
    }

    @Test(arguments: [
        (["--search", "quiet beach"], "/v1/search?q=quiet%20beach", " --source search"),
        (["--featured"], "/v1/featured", " --source featured"), ([], "/v1/store-page", ""),
    ])
    func `search and the featured tab are views of the same page`(
        arguments: [String], path: String, source: String
    ) async {
        let store = FakeStore()
        let (_, said) = await Recorder.run(
            ["promo", "page", "--as", "bob", "--device", "tablet"] + arguments,
            variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], transport: store)
        #expect(store.requests.last?.path == path)
        #expect(
            said.narration.contains("next: storebus intent hidden-beaches --as bob --device tablet\(source)\n"),
            "\(said.narration)")
    }

    @Test func `what the page had to do without is said, and what is not known is not no`() async {
        let store = FakeStore()
        var page = Promoted.page
        page.promotions = page.promotions.map { Promotion(product: $0.product, owned: nil) }
        page.degraded = ["eligibility", "payments", "promotions"]
        store.answer("GET /v1/store-page", JSONText.value(page))
        let (status, said) = await store.run("promo", "page", "--as", "alice")
        #expect(status == .success)
        #expect(said.result.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix("unknown") })
        #expect(said.narration.split(separator: "\n").count { $0.hasPrefix("note: ") } == 3)
    }

    @Test func `M58: an empty page says when the device is the reason`() async {
        let store = FakeStore()
        store.answer("GET /v1/store-page", JSONText.value(StorePageResponse<Promotion>(promotions: [])))
        let old = Promoted.device(osVersion: "10.3.3", platform: .iOS)
        store.answer("GET /admin/v1/devices/alice-1", JSONText.value(old))
        let (status, said) = await store.run("promo", "page", "--as", "alice")
        #expect(status == .success)
        #expect(said.result == "nothing is promoted here\n")
        #expect(said.narration.contains("note: Promoted in-app purchases need iOS 11.0 or later"))
        #expect(said.narration.contains("next: storebus promo list --device alice-1\n"))
    }

    @Test(arguments: [
        (["promo", "page"], "name an account with --as"),
        (["promo", "page", "--device", "tablet"], "whose device is 'tablet'?"),
        (["promo", "page", "--as", "a", "--search", "x", "--featured"], "--search and --featured are two views"),
        (["intent", "pro.monthly"], "name an account with --as"),
    ])
    func `whose store is meant must be clear`(arguments: [String], sentence: String) async {
        let (status, said) = await Recorder.run(arguments)
        #expect(status == .usage)
        #expect(said.narration.contains(sentence), "\(said.narration)")
    }

    @Test(arguments: [("alice-1", "alice"), ("a-b-12", "a-b"), ("tablet", nil), ("-1", nil), ("a-", nil), ("a-x", nil)])
    func `a device that the command line named says whose it is`(device: String, owner: String?) {
        #expect(CustomerOptions.owner(of: device) == owner)
    }
}
