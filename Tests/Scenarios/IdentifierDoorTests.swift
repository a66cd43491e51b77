import BusClient
import BusService
import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: one rule says what an identifier may be, in every door (`docs/identifiers.md`).
/// Method: the same texts through HTTP, import, bus and command line of one running store; what a door says of a text
/// is what the rule says.
@Suite(.process) struct IdentifierDoorTests {
    private static let texts = [
        "a", "com.example.app-2", "ALICE", "caf\u{E9}", "cafe\u{301}", "com.example.\u{212A}", "a b", "*", "x.>", "a_b",
        "\u{1F600}", "", "a\u{7F}", "a\u{85}b", "a\nb", "\u{0}",
    ]

    private static func texts(_ rule: IdentifierRule) -> [String] {
        texts + [rule.lengthMax, rule.lengthMax + 1].map { String(repeating: "a", count: $0) }
            + [rule.lengthMax, rule.lengthMax + 1].map { String(repeating: "\u{E9}", count: $0) }
    }

    private typealias Door = (name: String, rule: IdentifierRule, accepts: (String) async throws -> Bool)

    @Test func `what a door says of a text is what the rule says`() async throws {
        try await StoreStack.run { store in
            let alice = try await store.session(account: "alice")
            for door in Self.http(store, alice) + Self.imports(store) + Self.bus(store) + Self.commandLine(store) {
                for text in Self.texts(door.rule) {
                    // An argument of a program ends with its first NUL.
                    if door.name.hasPrefix("storebus"), text.contains("\u{0}") { continue }
                    let accepts = try await door.accepts(text)
                    #expect(accepts == (door.rule.fault(in: text) == nil), "\(door.name): \(text.debugDescription)")
                }
            }
        }
    }

    /// 404 is an answer about an identifier: there is no such app.
    private static func http(_ store: StoreStack, _ alice: ScenarioCustomer) -> [Door] {
        func session(_ member: String) -> (String) async throws -> Bool {
            { text in
                var members: [String: JSONValue] = [
                    "bundleId": "com.example.app", "deviceId": "d", "account": "a", "platform": "iOS",
                    "osVersion": "17.0", "appVersion": "1.0",
                ]
                members[member] = .string(text)
                return try await store.send(.POST, "/v1/sessions", .object(members)).status != 400
            }
        }
        return [
            ("POST /v1/sessions account", .account, session("account")),
            ("POST /v1/sessions deviceId", .device, session("deviceId")),
            ("POST /v1/sessions bundleId", .bundle, session("bundleId")),
            (
                "POST /v1/products/query", .product,
                { text in
                    let body = JSONValue.object(["productIdentifiers": .array([.string(text)])])
                    return try await store.send(.POST, "/v1/products/query", token: alice.token, body).status == 200
                }
            ),
            (
                "POST /v1/payments", .product,
                { text in
                    let body = JSONValue.object(["productIdentifier": .string(text), "quantity": 1])
                    let key = UUID().uuidString
                    return try await store.send(.POST, "/v1/payments", token: alice.token, key: key, body).status == 201
                }
            ),
        ]
    }

    private static func imports(_ store: StoreStack) -> [Door] {
        func imported(_ product: String, group: String) async throws -> Bool {
            let subscription = JSONValue.object([
                "type": "RecurringSubscription", "productID": .string(product), "groupNumber": 1,
                "displayPrice": "1.99", "recurringSubscriptionPeriod": "P1M",
            ])
            let file = JSONValue.object([
                "identifier": "A", "version": .object(["major": 4, "minor": 0]), "products": .array([]),
                "subscriptionGroups": .array([
                    .object(["id": .string(group), "name": "g", "subscriptions": .array([subscription])])
                ]),
            ])
            let status = try await store.send(.PUT, "/admin/v1/apps/com.example.doors/catalog", file).status
            #expect(status == 200 || status == 422)
            return status == 200
        }
        return [
            ("import productID", .catalogued, { try await imported($0, group: "g") }),
            ("import group", .catalogued, { try await imported("p", group: $0) }),
        ]
    }

    private static func bus(_ store: StoreStack) -> [Door] {
        func accepts<Request, Reply>(_ endpoint: Endpoint<Request, Reply>, _ request: Request) async throws -> Bool {
            try await store.withBus("doors") { bus in
                do throws(StoreError) {
                    _ = try await ServiceCaller(bus: bus, caller: "doors").call(endpoint, request)
                    return true
                } catch {
                    guard error.code == .requestInvalid || error.code == .notFound else { throw error }
                    return error.code == .notFound
                }
            }
        }
        func open(bundle: String = "com.example.app", account: String = "a", device: String = "d") async throws -> Bool
        {
            try await accepts(
                PaymentEndpoints.openAccount, OpenAccountRequest(bundleId: bundle, account: account, deviceId: device))
        }
        return [
            ("account.open account", .account, { try await open(account: $0) }),
            ("account.open deviceId", .device, { try await open(device: $0) }),
            ("account.open bundleId", .bundle, { try await open(bundle: $0) }),
            (
                "app.put bundleId", .bundle,
                {
                    try await accepts(
                        CatalogEndpoints.putApp, PutAppRequest(bundleId: $0, settings: AppSettings(name: "A")))
                }
            ),
            (
                "device.put deviceId", .device,
                {
                    try await accepts(
                        PromotionEndpoints.putDevice,
                        PutDeviceRequest(ScopedIdentifier($0, in: .installation), platform: .iOS, osVersion: "17.0"))
                }
            ),
            (
                "tester.get account", .account,
                { try await accepts(PaymentEndpoints.getTester, ScopedIdentifier($0, in: .installation)) }
            ),
        ]
    }

    private static func commandLine(_ store: StoreStack) -> [Door] {
        /// Whether it was no mistake in the words.
        func runs(_ words: [String]) async throws -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try Executables.path(of: "storebus"))
            process.arguments = words + ["--url", store.url, "--data", store.directory.path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus != 64
        }
        return [
            ("storebus --as", .account, { try await runs(["eligibility", "--as=\($0)", "--device", "d"]) }),
            ("storebus --device", .device, { try await runs(["eligibility", "--as", "a", "--device=\($0)"]) }),
            ("storebus --bundle-id", .bundle, { try await runs(["eligibility", "--as", "a", "--bundle-id=\($0)"]) }),
        ]
    }
}
