import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: an operator's request reaches the objects of the store that it names, and of no other (S1).
/// Method: the table is made from `openapi.json`, so a route that is added is looked at, too.
@Suite struct OperatorScopeTests {
    /// One object for each kind of path; the gateway names keys itself.
    private static let objects = [
        "/admin/v1/transactions/{id}": "t1", "/admin/v1/subscriptions/{id}": "t_pro", "/admin/v1/prompts/{id}": "p1",
        "/admin/v1/refundRequests/{refundRequestIdentifier}": "q_1",
        "/admin/v1/apps/{bundleId}/notifications/{notificationUUID}": FakeAppStoreServer.uuid(1),
        "/admin/v1/apps/{bundleId}/notifications/attempts/{attemptIdentifier}": "a_\(FakeAppStoreServer.uuid(1))",
        "/admin/v1/apps/{bundleId}/clock/advances/{id}": "a_k1",
        "/admin/v1/apps/{bundleId}/codes/{codeIdentifier}": "o_1",
        "/admin/v1/apps/{bundleId}/keys/{keyIdentifier}": "", "/admin/v1/keys/{keyIdentifier}": "",
    ]

    /// Paths whose objects are the installation's, whatever store is named (`docs/isolated-stores.md`).
    private static let ofInstallation = [
        "/admin/v1/chaos/runs/{id}", "/admin/v1/services/{id}", "/admin/v1/stores/{store}",
    ]

    /// Paths whose objects clients name: one name is an object of its own in each scope.
    private static let named = [
        "/admin/v1/testers/{account}", "/admin/v1/devices/{deviceId}", "/admin/v1/apps/{bundleId}/families/{family}",
    ]

    /// Operations on the subscription of a transaction.
    private static let ofSubscriptions = Set(OperateSubscriptionRequest.Operation.allCases.map(\.rawValue))

    private struct Subject {
        let operation: OpenAPIDocument.Operation
        let method: HTTPMethod
        let template: String
        let known: String

        func path(_ name: String) -> String {
            template.replacing("{bundleId}", with: Sample.bundleId).replacing(#/\{[^}]*\}/#, with: name)
        }
    }

    private struct Seen: Equatable {
        let status: Int
        let body: JSONValue

        /// Everything but what no two answers share.
        init(_ answer: Answer) {
            status = answer.status
            var members = answer.json.objectValue ?? [:]
            members["traceId"] = nil
            body = .object(members)
        }
    }

    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    /// The operator's operations whose path names an object. An app and its products are named with the store.
    private func subjects() throws -> [Subject] {
        let named = document.operations.values.filter { operation in
            operation.schemes == ["admin"] && !operation.names(in: "path").isSubset(of: ["bundleId"])
                && !operation.name.contains("/products/{id}")
                && !(Self.ofInstallation + Self.named).contains { operation.name.contains($0) }
        }
        return try named.sorted { $0.name < $1.name }.map { operation in
            let words = operation.name.split(separator: " ").map(String.init)
            let found = Self.objects.first { words[1] == $0.key || words[1].hasPrefix($0.key + "/") }
            let known = try #require(found?.value, "\(operation.name) names something this test has no object of")
            let verb = String(words[1].split(separator: "/").last ?? "")
            return Subject(
                operation: operation, method: HTTPMethod(rawValue: words[0]), template: words[1],
                known: Self.ofSubscriptions.contains(verb) ? "t_pro" : known)
        }
    }

    /// Puts an object of each kind into one scope.
    /// - Returns: The names of its keys, by the path's template.
    private func fill(_ store: GatewayHarness, _ scope: IsolationScope) async throws -> [String: String] {
        let bundleId = scope.bundleId ?? Sample.bundleId
        store.payments.commit(Sample.purchased("t1"))
        store.payments.subscribe()
        store.payments.contents.withLock { contents in
            contents.scope = scope
            contents.offerCodes = [bundleId: [Sample.offerCode("o_1")]]
            contents.refundRequests = [Sample.refundRequest("q_1", of: "t1", bundleId: bundleId)]
            contents.prompts = [
                Prompt(
                    id: "p1", kind: .sheet, bundleId: bundleId, account: "alice", transaction: nil,
                    createdAt: Timestamp(milliseconds: 1_790_000_000_000), answers: [.approve])
            ]
            contents.subscribing.moves = [AdvanceClockRequest(bundleId: bundleId, requestKey: "k1", by: "1d")]
        }
        store.appStore.contents.withLock { $0.notifications = [] }
        store.appStore.deliver(of: bundleId)
        var keys: [String: String] = [:]
        for (path, kind) in [("/admin/v1/apps/{bundleId}/keys", "api"), ("/admin/v1/keys", "inAppPurchase")] {
            let made = try await store.send(
                .POST, door(scope) + path.replacing("{bundleId}", with: Sample.bundleId), token: Sample.adminKey,
                body: #"{"kind":"\#(kind)"}"#)
            keys["\(path)/{keyIdentifier}"] = try made.decode(NewKeyResponse.self).keyIdentifier
        }
        return keys
    }

    /// What the paths of a scope begin with.
    private func door(_ scope: IsolationScope) -> String {
        scope.bundleId.flatMap(IsolatedApp.init).map { "/s/\($0.store)" } ?? ""
    }

    private func send(
        _ store: GatewayHarness, _ subject: Subject, _ name: String, _ scope: IsolationScope
    ) async throws -> Answer {
        try await store.send(
            subject.method, door(scope) + subject.path(name), token: Sample.adminKey,
            headers: [("Idempotency-Key", "scope")], body: body(for: subject))
    }

    /// The document's example where the body has members that must be there; nil without a body.
    private func body(for subject: Subject) throws -> String? {
        guard let body = subject.operation.value["requestBody"], body["required"] == true else { return nil }
        let example = try #require(subject.operation.example, "\(subject.operation.name) has an example")
        return String(decoding: try StoreJSON.encode(example), as: UTF8.self)
    }

    @Test func `an object of another store, or of the installation, is 404 in the words of what is not there (S1)`()
        async throws
    {
        try await GatewayHarness.run { store in
            let body = #"{"from":{"bundleId":"com.example.app"},"seed":42}"#
            for _ in 0..<2 {
                #expect(
                    try await store.send(.POST, "/admin/v1/stores", token: Sample.adminKey, body: body).status == 201)
            }
            let stores = [1, 2].map { IsolatedApp(shownBundleId: Sample.bundleId, number: $0, seed: 42) }
            let scopes = [IsolationScope.installation] + stores.map { IsolationScope($0) }
            let subjects = try subjects()
            #expect(subjects.count >= 28, "transactions, refund requests, prompts, notifications, clocks and keys")
            for scope in scopes {
                var keys = try await fill(store, scope)
                for subject in subjects {
                    let known = keys[subject.template] ?? subject.known
                    for other in scopes where other != scope {
                        let foreign = Seen(try await send(store, subject, known, other))
                        let missing = Seen(try await send(store, subject, "none", other))
                        #expect(foreign.status == 404, "\(subject.operation.name) of '\(scope.key)' in '\(other.key)'")
                        #expect(foreign == missing, "\(subject.operation.name) of '\(scope.key)' in '\(other.key)'")
                    }
                }
                // The objects are there, so 404 was about where they were looked for.
                for subject in subjects {
                    keys = try await fill(store, scope)
                    let answer = try await send(store, subject, keys[subject.template] ?? subject.known, scope)
                    #expect([200, 201, 204, 409].contains(answer.status), "\(subject.operation.name): \(answer.text)")
                    #expect(!answer.text.contains("@t-"), "\(subject.operation.name) shows an inside name")
                }
            }
        }
    }

    @Test func `an account's settings and a device are of the store they were set in (S1)`() async throws {
        try await GatewayHarness.run { store in
            let body = #"{"from":{"bundleId":"com.example.app"},"seed":42}"#
            for _ in 0..<2 {
                #expect(
                    try await store.send(.POST, "/admin/v1/stores", token: Sample.adminKey, body: body).status == 201)
            }
            let doors = ["", "/s/t-1", "/s/t-2"]
            let objects = [
                ("/admin/v1/testers/alice", #"{"askToBuy":true}"#),
                ("/admin/v1/devices/phone", #"{"platform":"iOS","osVersion":"17.4"}"#),
                ("/admin/v1/devices/phone/apps/com.example.app", #"{"version":"1.0"}"#),
            ]
            func seen(_ door: String) async throws -> [Seen] {
                var seen: [Seen] = []
                for path in ["testers/alice", "testers", "devices/phone", "devices"] {
                    seen.append(Seen(try await store.send(.GET, "\(door)/admin/v1/\(path)", token: Sample.adminKey)))
                }
                return seen
            }
            for door in doors {
                var others: [[Seen]] = []
                for other in doors where other != door { others.append(try await seen(other)) }
                let before = try await seen(door)
                for (path, body) in objects {
                    let put = try await store.send(.PUT, door + path, token: Sample.adminKey, body: body)
                    #expect(put.status == 200, "\(put.text)")
                    #expect(!put.text.contains("@t-"))
                }
                #expect(try await seen(door) != before)
                for path in ["testers/alice", "devices/phone"] {
                    var unchanged: [[Seen]] = []
                    for other in doors where other != door { unchanged.append(try await seen(other)) }
                    #expect(unchanged == others, "\(path) at '\(door)'")
                    let deleted = try await store.send(.DELETE, "\(door)/admin/v1/\(path)", token: Sample.adminKey)
                    #expect(deleted.status == 204)
                }
                #expect(try await seen(door) == before)
            }
        }
    }
}
