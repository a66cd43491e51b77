import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what is done in a fork shows the same as in its source, through all processes and on both databases.
/// Method: a store has a subscription, a finished and a deferred purchase, a family, a code and notifications. A
/// snapshot is taken, then the same is done in the store and in two forks, and each is read through its own door.
@Suite(.process) struct StoreForkTests {
    private static let app = "com.example.app"
    private static let admin = "/admin/v1/apps/\(app)"

    /// Members that differ between two stores: identifiers that are unique on the installation, places in its logs, and
    /// the number of times that the clock was set.
    private static let own: Set = ["id", "customerIdentifier", "after", "epoch"]

    /// Returns JSON without the members that differ.
    private static func shown(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.filter { !own.contains($0.key) }.map { name, value in
                        // Those of one millisecond are listed in the order of random numbers.
                        (name, name == "transactions" || name == "records" ? sorted(shown(value)) : shown(value))
                    }))
        case .array(let items): .array(items.map(shown))
        default: value
        }
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        .array(
            (value.arrayValue ?? []).sorted {
                "\($0["orderId"] ?? $0["transactionIdentifier"] ?? .null)"
                    < "\($1["orderId"] ?? $1["transactionIdentifier"] ?? .null)"
            })
    }

    private static func session(_ store: StoreStack, _ prefix: String, _ account: String) async throws
        -> ScenarioCustomer
    {
        let answer = try await store.must(
            .POST, "\(prefix)/v1/sessions",
            .object([
                "bundleId": .string(app), "deviceId": "phone", "account": .string(account), "platform": "iOS",
                "osVersion": "17.0", "appVersion": "1.0",
            ]))
        let token = try answer.decoded(as: JSONValue.self)["token"]?.stringValue
        return ScenarioCustomer(store: store, token: try #require(token))
    }

    /// Fills a store, as an app and its operator do.
    private static func fill(_ store: StoreStack, _ prefix: String) async throws {
        try await store.must(
            .PUT, "\(prefix)\(admin)/notifications/endpoint", .object(["url": .string("listen:")]))
        let alice = try await session(store, prefix, "alice")
        _ = try await alice.buy("com.example.pro.monthly", key: "1")
        _ = try await alice.buy("com.example.hiddenBeaches", key: "2")
        try await store.must(.PUT, "\(prefix)/admin/v1/testers/alice", .object(["askToBuy": true]))
        _ = try await alice.add("com.example.fishingHotSpots", key: "3")
    }

    /// Does the same in each store, and returns all that its doors show.
    private static func transcript(_ store: StoreStack, _ prefix: String) async throws -> [JSONValue] {
        // A day later, so that no two renewals are due at one instant.
        try await store.must(.POST, "\(prefix)\(admin)/clock/advance", key: "move-0", .object(["by": "1d"]))
        let bob = try await session(store, prefix, "bob")
        let bought = try await bob.buy("com.example.pro.monthly", key: "1")
        let prompts = try await read(store, "\(prefix)/admin/v1/transactions?state=deferred")
        let waiting = try #require(prompts["transactions"]?.arrayValue?.first?["id"]?.stringValue)
        try await store.must(.POST, "\(prefix)/admin/v1/transactions/\(waiting)/approve")
        let alice = try await session(store, prefix, "alice")
        let unfinished = try await alice.unfinished()
        for transaction in unfinished { try await alice.finish(transaction.id) }
        try await store.must(.POST, "\(prefix)\(admin)/clock/advance", key: "move-1", .object(["by": "2mo"]))
        try await store.must(.POST, "\(prefix)/admin/v1/transactions/\(bought.id)/refund", .object([:]))
        // A purchase of before the copy is refunded by the ledger's copy of its charge.
        let beaches = try #require(unfinished.first { $0.payment.productIdentifier == "com.example.hiddenBeaches" })
        try await store.must(.POST, "\(prefix)/admin/v1/transactions/\(beaches.id)/refund", .object([:]))
        // The events are imported before the reply.
        try await store.must(.GET, "\(prefix)\(admin)/notifications/settled?timeout=100ms")
        return try await all(store, prefix)
    }

    /// Everything that a store's doors show of it.
    private static func all(_ store: StoreStack, _ prefix: String) async throws -> [JSONValue] {
        var answers: [JSONValue] = []
        for path in [
            "/admin/v1/transactions?limit=100", "/admin/v1/subscriptions?limit=100", "/admin/v1/testers",
            "/admin/v1/devices", "\(admin)/notifications?limit=100", "\(admin)/clock",
            "/admin/v1/events/last?limit=100",
        ] {
            let answer = try await store.must(.GET, prefix + path)
            #expect(!answer.text.contains("@t-"), "\(path) shows an inside name")
            answers.append(shown(try answer.decoded()))
        }
        return answers
    }

    /// Expects two stores to show the same, and names what they do not.
    private static func expect(
        _ shown: [JSONValue], _ expected: [JSONValue], _ place: SourceLocation = #_sourceLocation
    ) {
        for (shown, expected) in zip(shown, expected) {
            let difference = difference(shown, expected, "$")
            #expect(difference == nil, sourceLocation: place)
        }
    }

    private static func difference(_ one: JSONValue, _ other: JSONValue, _ path: String) -> String? {
        switch (one, other) {
        case (.object(let one), .object(let other)) where one.keys.sorted() == other.keys.sorted():
            one.keys.lazy.compactMap { difference(one[$0] ?? .null, other[$0] ?? .null, "\(path).\($0)") }.first
        case (.array(let one), .array(let other)) where one.count == other.count:
            one.indices.lazy.compactMap { difference(one[$0], other[$0], "\(path)[\($0)]") }.first
        default: one == other ? nil : "\(path): \(one) and \(other)"
        }
    }

    private static func read(_ store: StoreStack, _ path: String) async throws -> JSONValue {
        try await store.must(.GET, path).decoded()
    }

    private static func fork(_ store: StoreStack, of source: String) async throws -> String {
        let made = try await store.must(.POST, "/admin/v1/stores/\(source)/fork").decoded(as: JSONValue.self)
        return "/s/\(try #require(made["store"]?.stringValue))"
    }

    @Test(arguments: Engine.allCases)
    func `a fork shows what its source shows, before and after the same is done in both`(_ engine: Engine) async throws
    {
        try await StoreStack.run(environment: try await engine.environment()) { store in
            let request: JSONValue = .object([
                "from": .object(["bundleId": .string(Self.app)]), "clock": "2026-01-01T00:00:00Z", "seed": 42,
            ])
            try await store.must(.POST, "/admin/v1/stores", request)
            try await Self.fill(store, "/s/t-1")
            try await store.must(.GET, "/s/t-1\(Self.admin)/notifications/settled?timeout=100ms")
            try await store.must(.POST, "/admin/v1/stores/t-1/snapshot", .object(["name": "filled"]))
            let filled = try await Self.all(store, "/s/t-1")
            #expect("\(filled)".contains("deferred") && "\(filled)".contains("SUBSCRIBED"))
            let early = try await Self.fork(store, of: "t-1")
            Self.expect(try await Self.all(store, early), filled)

            let expected = try await Self.transcript(store, "/s/t-1")
            #expect(expected != filled)
            // What happened in the source since is not in the snapshot.
            for prefix in [early, try await Self.fork(store, of: "filled"), try await Self.fork(store, of: "filled")] {
                if prefix != early { Self.expect(try await Self.all(store, prefix), filled) }
                Self.expect(try await Self.transcript(store, prefix), expected)
            }
            // A fork of a fork begins where that one is.
            let last = try await Self.fork(store, of: String(early.dropFirst(3)))
            Self.expect(try await Self.all(store, last), expected)
            Self.expect(try await Self.all(store, "/s/t-1"), expected)
        }
    }
}
