import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import StorebusTesting
import Testing

/// S1, P11: another customer's, device's or app's object is 404 in the same words as one that does not exist. The table
/// is made from `openapi.json`, so a route that is added is looked at, too.
@Suite struct IsolationTests {
    private static let otherApp = "com.example.other"

    /// One of Alice's objects, on her first device, for each kind of path.
    private static let objects = [
        "/v1/transactions/{id}": "t1", "/v1/downloads/{id}": "d1", "/v1/restores/{restoreIdentifier}": "r_k1",
        "/v1/customers/{account}": "alice",
        "/v1/subscriptions/{originalTransactionIdentifier}": Sample.subscription.originalTransactionIdentifier,
        "/v1/intents/{id}": "i_1",
    ]

    /// One operation whose path names something of a customer's.
    private struct Subject {
        let operation: OpenAPIDocument.Operation
        let method: HTTPMethod
        let template: String
        let known: String

        func path(_ name: String) -> String {
            template.replacing(#/\{[^}]*\}/#, with: name)
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

    /// Operations that are built and open to callers other than the operator. Products and codes are an app's, not a customer's.
    private func subjects() throws -> [Subject] {
        let built = document.operations.values.filter {
            !$0.names(in: "path").isEmpty && $0.statuses.contains { $0.hasPrefix("2") }
                && !$0.schemes.isDisjoint(with: ["app", "store", "server"])
                && ![["productIdentifier"], ["code"]].contains($0.names(in: "path"))
        }
        return try built.sorted { $0.name < $1.name }.map { operation in
            let words = operation.name.split(separator: " ").map(String.init)
            let known = Self.objects.first { words[1] == $0.key || words[1].hasPrefix($0.key + "/") }
            return Subject(
                operation: operation, method: HTTPMethod(rawValue: words[0]), template: words[1],
                known: try #require(known?.value, "\(operation.name) names something this test has no object of"))
        }
    }

    private func fill(_ store: GatewayHarness) async throws -> String {
        store.catalog.contents.withLock {
            $0.apps[Self.otherApp] = App(bundleId: Self.otherApp, settings: .init(name: "Other"), catalogVersion: 1)
        }
        let owner = try await store.session()
        store.promotions.begin("i_1")
        store.payments.commit(Sample.purchased("t1"))
        store.payments.sellSamples()
        store.payments.offer("d1", length: 3)
        store.payments.subscribe()
        store.catalog.host([1, 2, 3])
        _ = try await store.send(.POST, "/v1/restore", token: owner, headers: [("Idempotency-Key", "k1")])
        return owner
    }

    private func send(
        _ store: GatewayHarness, _ subject: Subject, _ name: String, _ token: String?
    ) async throws -> Answer {
        try await store.send(
            subject.method, subject.path(name), token: token, headers: [("Idempotency-Key", "isolation")],
            body: body(for: subject))
    }

    /// The document's example where the body has members that must be there; nil without a body.
    private func body(for subject: Subject) throws -> String? {
        guard let body = subject.operation.value["requestBody"], body["required"] == true else { return nil }
        if subject.known == "i_1" { return #"{"decision":"defer"}"# }
        guard subject.operation.content?["schema"].flatMap(document.resolved)?["required"] != nil else { return "{}" }
        let example = try #require(subject.operation.example, "\(subject.operation.name) has an example")
        return String(decoding: try StoreJSON.encode(example), as: UTF8.self)
    }

    /// Whether the principal is of the kind the operation is for.
    private func isFor(_ operation: OpenAPIDocument.Operation, _ scheme: String) -> Bool {
        operation.schemes.contains(scheme)
    }

    @Test func `what is another's is 404, in the words of what is not there (P11)`() async throws {
        try await GatewayHarness.run { store in
            let owner = try await fill(store)
            let serverKey = try await store.apiKey()
            let strangers = [
                ("another customer", "app", try await store.session(account: "mallory", device: "mallory-1")),
                ("another customer on the device", "app", try await store.session(account: "mallory")),
                ("the customer in another app", "app", try await store.session(bundleId: Self.otherApp)),
                ("another app's server", "server", try await store.apiKey(Self.otherApp)),
            ]
            let subjects = try subjects()
            #expect(subjects.count >= 13, "transactions, downloads, restores, subscriptions and customers")
            for subject in subjects {
                for (who, scheme, token) in strangers where isFor(subject.operation, scheme) {
                    let foreign = Seen(try await send(store, subject, subject.known, token))
                    let missing = Seen(try await send(store, subject, "none", token))
                    #expect(foreign.status == 404, "\(subject.operation.name) for \(who)")
                    #expect(foreign == missing, "\(subject.operation.name) for \(who)")
                }
            }
            // The objects are there, so 404 was about who asked.
            for subject in subjects {
                let token = isFor(subject.operation, "server") ? serverKey : owner
                let answer = try await send(store, subject, subject.known, token)
                #expect([200, 201, 409].contains(answer.status), "\(subject.operation.name) for its owner")
            }
        }
    }

    @Test func `restores, downloads and intents are their device's own (M41, M46)`() async throws {
        try await GatewayHarness.run { store in
            _ = try await fill(store)
            let second = try await store.session(device: "alice-2")
            let subjects = try subjects().filter { ["d1", "r_k1", "i_1"].contains($0.known) }
            #expect(subjects.count == 10)
            for subject in subjects {
                let foreign = Seen(try await send(store, subject, subject.known, second))
                let missing = Seen(try await send(store, subject, "none", second))
                #expect(foreign.status == 404, "\(subject.operation.name)")
                #expect(foreign == missing, "\(subject.operation.name)")
            }
        }
    }

    @Test func `a caller without credentials, or of another kind, learns nothing of what is there`() async throws {
        try await GatewayHarness.run { store in
            let owner = try await fill(store)
            let shop = try await store.session(device: "alice-2", client: "store")
            let serverKey = try await store.apiKey()
            let principals: [(scheme: String?, token: String?, status: Int)] = [
                (nil, nil, 401), (nil, "nonsense", 401), ("admin", Sample.adminKey, 403), ("store", shop, 403),
                ("app", owner, 403), ("server", serverKey, 403),
            ]
            for subject in try subjects() {
                for principal in principals where principal.scheme.map({ !isFor(subject.operation, $0) }) ?? true {
                    let known = Seen(try await send(store, subject, subject.known, principal.token))
                    let missing = Seen(try await send(store, subject, "none", principal.token))
                    #expect(known.status == principal.status, "\(subject.operation.name)")
                    #expect(known == missing, "\(subject.operation.name)")
                }
            }
            store.moveClock(to: .wallClock() + .seconds(24 * 3600 + 1))
            for subject in try subjects() where isFor(subject.operation, "app") {
                let known = Seen(try await send(store, subject, subject.known, owner))
                #expect(known.status == 401, "\(subject.operation.name) after the session's end")
                #expect(try await known == Seen(send(store, subject, "none", owner)))
            }
        }
    }

    @Test func `lists have the asker's own and nothing else (P11)`() async throws {
        try await GatewayHarness.run { store in
            let owner = try await fill(store)
            let strangers = [
                try await store.session(account: "mallory", device: "mallory-1"),
                try await store.session(bundleId: Self.otherApp),
            ]
            for (path, list) in [
                ("/v1/transactions", "transactions"), ("/v1/history", "transactions"),
                ("/v1/subscriptions", "subscriptions"),
            ] {
                #expect(try await store.send(.GET, path, token: owner).json[list]?.arrayValue?.count == 1)
                for token in strangers {
                    let answer = try await store.send(.GET, path, token: token)
                    #expect(answer.json[list]?.arrayValue?.isEmpty == true, "\(path)")
                }
            }
        }
    }

    @Test func `receipts and servers' lists are of the asker alone (P11)`() async throws {
        try await GatewayHarness.run { store in
            let owner = try await fill(store)
            store.payments.buySamples()
            let bob = try await store.session(account: "bob", device: Sample.deviceId)
            for (token, customer) in [(owner, FakePaymentQueue.customer), (bob, "c_bob")] {
                let answer = try await store.send(.GET, "/v1/receipt", token: token)
                let data = try #require(answer.json["receiptData"]?.stringValue)
                #expect(try await store.apple.read(data).customerIdentifier == customer)
                let asked = store.payments.contents.withLock { $0.receiptRequests.last }
                #expect(asked?.customerIdentifier == customer)
                #expect(asked?.bundleId == Sample.bundleId)
            }
            let server = try await store.apiKey()
            for list in ["history", "subscriptions", "eligibility"] {
                let answer = try await store.send(.GET, "/v1/customers/alice/\(list)", token: server)
                #expect(answer.status == 200, "\(list)")
                let others = try await store.send(
                    .GET, "/v1/customers/alice/\(list)", token: try await store.apiKey(Self.otherApp))
                #expect(others.status == 404, "\(list)")
            }
        }
    }
}
