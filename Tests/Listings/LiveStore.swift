import Foundation
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Starts one store of real processes for a suite, and an app on Alice's device. She shops in France. The app is the
/// process's default payment queue, which listings use.
struct LiveStore: SuiteTrait, TestScoping {
    @TaskLocal static var process: StoreProcess?

    static let account = "alice"
    static let device = "phone"
    static let app = "com.example.app"

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory(prefix: "storebus-listings")
        let catalogue = directory.file("Listings.storekit")
        try Self.catalogue().write(to: URL(fileURLWithPath: catalogue))
        let store = try await StoreProcess(["--import", catalogue, "--bundle-id", Self.app], in: directory)
        do {
            StoreConnection.use(
                StoreConnection(
                    gateway: try #require(URL(string: store.url)), bundleId: Self.app, deviceId: Self.device,
                    account: Self.account, storefront: "FRA",
                    contentDirectory: URL(fileURLWithPath: directory.file("contents"), isDirectory: true)))
            try await store.uploadContent()
            try await Self.$process.withValue(store, operation: function)
        } catch {
            store.printLogs()
            await store.stop()
            throw error
        }
        await store.stop()
    }

    /// The sample catalogue, and the product listing L15 names, which content comes with.
    private static func catalogue() throws -> Data {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let sample = root.appendingPathComponent("Services/Catalog/Resources/Sample.storekit")
        var file = try StrictJSON.parse(Array(Data(contentsOf: sample))).objectValue ?? [:]
        let named: JSONValue = .object([
            "type": "NonConsumable", "productID": "product_name", "referenceName": "Named by a link",
            "displayPrice": "2.99",
            "hostedContent": .object(["version": "1.0", "lengths": .array([.number("\(content.count)")])]),
        ])
        file["products"] = .array((file["products"]?.arrayValue ?? []) + [named])
        return Data(try StoreJSON.encode(JSONValue.object(file)))
    }

    static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
}

extension SuiteTrait where Self == LiveStore {
    static var liveStore: Self { LiveStore() }
}

extension StoreProcess {
    fileprivate func uploadContent() async throws {
        let file = directory.file("content")
        try LiveStore.content.write(to: URL(fileURLWithPath: file))
        try await storebus(["product", "content", "put", "product_name", file, "--bundle-id", LiveStore.app])
    }

    /// Taps Buy in the store, or opens a link, on the app's device.
    /// - Returns: The intent.
    func tap(_ productOrLink: String) async throws -> String {
        var intent: String?
        // A launch says whether the app handles promoted purchases; the observer was added a moment ago.
        try await eventually("the store opens the app") {
            let answer = try await json(
                "intent", productOrLink, "--as", LiveStore.account, "--device", LiveStore.device)
            intent = answer["intentIdentifier"]?.stringValue
            return answer["outcome"]?.stringValue == "openApp"
        }
        return try #require(intent)
    }

    func state(ofIntent intent: String) async throws -> String? {
        try await json("intent", "show", intent)["state"]?.stringValue
    }

    /// What the device has set of the promoted products.
    func promotionsOfDevice() async throws -> JSONValue {
        try await json("promo", "list", "--device", LiveStore.device)
    }

    /// How many requests the gateway has answered on a route.
    func requestCount(_ method: String, _ route: String) async throws -> Int {
        let (data, _) = try await URLSession.shared.data(from: try #require(URL(string: "\(url)/metrics")))
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("storebus_http_requests_total{") && $0.contains("route=\"\(route)\"")
                && $0.contains("method=\"\(method)\"")
        }
        return lines.reduce(0) { $0 + Int(Double($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// What a command says to programs.
    func json(_ arguments: String...) async throws -> JSONValue {
        let answer = try StrictJSON.parse(Array(try await storebus(arguments + ["-o", "json"]).utf8))
        return try #require(answer["data"])
    }
}
