import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: an operator's request reaches the objects of the store that it names, and of no other, through all processes.
/// Method: two isolated stores of equal seeds and the installation have an object of each kind. Every operation of
/// `openapi.json` that names one is asked at each of the other doors. `STOREBUS_PLANTED_BUG=scope-dropped` fails it.
@Suite(.process) struct StoreIsolationTests {
    private static let app = "com.example.app"

    /// One place from which objects are asked for: the installation, or an isolated store.
    private struct Door {
        let prefix: String
        /// An object for each kind of path, by its template.
        var objects: [(template: String, name: String)] = []
    }

    private struct Operation {
        let method: HTTPMethod
        let template: String
        let body: JSONValue?

        func path(_ name: String) -> String {
            template.replacing("{bundleId}", with: app).replacing(#/\{[^}]*\}/#, with: name)
        }
    }

    /// The operations of the document that an operator sends about one object.
    private static func operations(of store: StoreStack) async throws -> [Operation] {
        let document = try await store.must(.GET, "/openapi.json").decoded(as: JSONValue.self)
        var operations: [Operation] = []
        for (path, item) in document["paths"]?.objectValue ?? [:] where path.hasPrefix("/admin/v1/") {
            for (method, operation) in item.objectValue ?? [:] where method != "parameters" {
                let content = operation["requestBody"]?["content"]?["application/json"]
                let body = content?["example"] ?? content?["examples"]?["1"]?["value"]
                operations.append(
                    Operation(method: HTTPMethod(rawValue: method.uppercased()), template: path, body: body))
            }
        }
        return operations.sorted { "\($0.method) \($0.template)" < "\($1.method) \($1.template)" }
    }

    /// Puts an object of each kind into a store: a subscription with an open refund request, a purchase that waits for
    /// a parent, and a move of the clock. Notifications of stores with equal seeds have equal UUIDs.
    private static func fill(_ store: StoreStack, _ prefix: String, key: String) async throws -> Door {
        let admin = "\(prefix)/admin/v1"
        try await store.must(
            .PUT, "\(admin)/apps/\(app)/notifications/endpoint", .object(["url": .string("listen:")]))
        let session: JSONValue = .object([
            "bundleId": .string(app), "deviceId": "phone", "account": "alice", "platform": "iOS", "osVersion": "17.0",
            "appVersion": "1.0",
        ])
        let token = try await store.must(.POST, "\(prefix)/v1/sessions", session).decoded(as: JSONValue.self)["token"]?
            .stringValue
        let alice = ScenarioCustomer(store: store, token: try #require(token))
        let bought = try await alice.buy("com.example.pro.monthly", key: "1")
        try await store.must(.PUT, "\(admin)/testers/alice", .object(["askToBuy": true]))
        let deferred = try await alice.add("com.example.fishingHotSpots", key: "2").decoded(as: PaymentTransaction.self)
        try await store.must(.DELETE, "\(admin)/testers/alice")
        let asked = try await store.must(
            .POST, "\(admin)/transactions/\(bought.id)/refundRequest", .object(["reason": "OTHER"]))
        let prompts = try await store.must(.GET, "\(admin)/prompts").decoded(as: JSONValue.self)
        let moved = try await store.must(
            .POST, "\(admin)/apps/\(app)/clock/advance", key: key, .object(["by": "1d"]))
        func text(_ answer: StoreStack.Answer, _ member: String) throws -> String {
            try #require(try answer.decoded(as: JSONValue.self)[member]?.stringValue, "\(answer.text)")
        }
        let prompt = try #require(prompts["prompts"]?.arrayValue?.first?["id"]?.stringValue)
        return Door(
            prefix: prefix,
            objects: [
                ("/admin/v1/transactions/{id}", bought.id), ("/admin/v1/transactions/{id}", deferred.id),
                ("/admin/v1/subscriptions/{id}", bought.id), ("/admin/v1/prompts/{id}", prompt),
                (
                    "/admin/v1/refundRequests/{refundRequestIdentifier}",
                    try text(asked, "refundRequestIdentifier")
                ),
                ("/admin/v1/apps/{bundleId}/clock/advances/{id}", try text(moved, "advanceIdentifier")),
            ])
    }

    /// What an operator sees of a store: its transactions, prompts, refund requests, subscriptions and notifications.
    private static func seen(_ store: StoreStack, _ door: Door) async throws -> [String] {
        var seen: [String] = []
        for path in [
            "transactions?limit=100", "prompts", "apps/\(app)/refund-requests", "subscriptions", "testers", "devices",
            "apps/\(app)/notifications", "apps/\(app)/clock/advances/\(door.objects.last?.name ?? "")",
        ] {
            let text = try await store.must(.GET, "\(door.prefix)/admin/v1/\(path)").text
            #expect(!text.contains("@t-"), "\(path) shows an inside name")
            seen.append(text)
        }
        return seen
    }

    /// An answer without what no two of them share.
    private static func comparable(_ answer: StoreStack.Answer) throws -> JSONValue {
        var members = try answer.decoded(as: JSONValue.self).objectValue ?? [:]
        members["traceId"] = nil
        return .object(members)
    }

    @Test(arguments: Engine.allCases)
    func `an operator finds nothing of another store, nor of the installation, by any identifier`(
        _ engine: Engine
    ) async throws {
        try await StoreStack.run(environment: try await engine.environment()) { store in
            try await store.must(.PUT, "/admin/v1/apps/\(Self.app)/clock", .object(["frozen": true]))
            var doors = [try await Self.fill(store, "", key: "installation")]
            for number in 1...2 {
                let request: JSONValue = .object([
                    "from": .object(["bundleId": .string(Self.app)]), "clock": "2026-01-01T00:00:00Z", "seed": 42,
                ])
                let made = try await store.must(.POST, "/admin/v1/stores", request)
                #expect(made.status == 201)
                doors.append(try await Self.fill(store, "/s/t-\(number)", key: "store-\(number)"))
            }
            let before = try await doors.asyncMap { try await Self.seen(store, $0) }
            // Equal seeds and equal acts: accounts, devices and the numbers of both stores are equal.
            for index in [4, 5] { #expect(before[1][index] == before[2][index]) }

            var asked = 0
            for operation in try await Self.operations(of: store) {
                for (index, door) in doors.enumerated() {
                    let objects = door.objects.filter {
                        operation.template == $0.template || operation.template.hasPrefix("\($0.template)/")
                    }
                    for (other, foreignDoor) in doors.enumerated() where other != index {
                        for (_, name) in objects {
                            let foreign = try await store.send(
                                operation.method, foreignDoor.prefix + operation.path(name), key: "foreign",
                                operation.body)
                            let missing = try await store.send(
                                operation.method, foreignDoor.prefix + operation.path("none"), key: "foreign",
                                operation.body)
                            let what = "\(operation.method) \(operation.template) of '\(door.prefix)'"
                            #expect(foreign.status == 404, "\(what) at '\(foreignDoor.prefix)': \(foreign.text)")
                            #expect(
                                try Self.comparable(foreign) == Self.comparable(missing),
                                "\(what) at '\(foreignDoor.prefix)'")
                            asked += 1
                        }
                    }
                }
            }
            #expect(asked >= 200, "every kind of object is asked for")
            for (door, former) in zip(doors, before) { #expect(try await Self.seen(store, door) == former) }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Output>(_ transform: (Element) async throws -> Output) async rethrows -> [Output] {
        var outputs: [Output] = []
        for element in self { outputs.append(try await transform(element)) }
        return outputs
    }
}
