import BusService
import StoreModels
import StorebusTesting
import Testing

/// Goal: one customer per app and account, in a storefront that is fixed when the account is created.
@Suite(.serialized) struct AccountTests {
    private func open(
        _ store: TestStore, _ account: String, app: String = "com.example.app", storefront: String? = nil,
        defaults: TesterSettings? = nil
    ) async throws -> OpenAccountReply {
        try await store.caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: app, account: account, deviceId: "phone", storefront: storefront, defaults: defaults))
    }

    @Test(arguments: Engine.allCases)
    func `opening again is the same customer, another app or account is another`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let first = try await open(store, "alice")
            #expect(try await open(store, "alice") == first)
            #expect(first.storefront == "USA")
            #expect(first.canMakePayments)
            #expect(try await open(store, "bob").customerIdentifier != first.customerIdentifier)
            #expect(try await open(store, "alice", app: "com.example.b").customerIdentifier != first.customerIdentifier)
            try await store.restartQueue()
            #expect(try await open(store, "alice") == first)
        }
    }

    @Test(arguments: Engine.allCases)
    func `each launch has a larger number than those before it, also after a restart`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            var numbers: [Int64] = []
            for launch in 0..<6 {
                if launch == 3 { try await store.restartQueue() }
                let reply = try await store.caller.call(
                    PaymentEndpoints.openAccount,
                    OpenAccountRequest(
                        bundleId: "com.example.app", account: launch.isMultiple(of: 2) ? "alice" : "bob",
                        deviceId: "phone", launches: true))
                numbers.append(try #require(reply.launch))
            }
            #expect(numbers == numbers.sorted() && Set(numbers).count == 6)
            #expect(try await open(store, "alice").launch == nil, "the store launches no app")
        }
    }

    @Test(arguments: Engine.allCases)
    func `sixteen first sessions at once make one customer`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await open(store, "alice", storefront: "FRA") } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `another storefront than the account's is storefrontMismatch`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let first = try await open(store, "alice", storefront: "FRA")
            #expect(first.storefront == "FRA")
            #expect(try await open(store, "alice").storefront == "FRA")
            #expect(
                try await refusal { try await open(store, "alice", storefront: "DEU") }?.code == .storefrontMismatch)
        }
    }

    @Test(arguments: ["fra", "FR", "FRAN", ""], Engine.allCases)
    func `a storefront is an alpha-3 code`(_ storefront: String, _ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let error = try await refusal { try await open(store, "alice", storefront: storefront) }
            #expect(error?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an account has 1 to 128 characters`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            for account in ["", String(repeating: "a", count: 129)] {
                #expect(try await refusal { try await open(store, account) }?.code == .requestInvalid)
            }
            _ = try await open(store, String(repeating: "é", count: 128))
        }
    }

    @Test(arguments: Engine.allCases)
    func `the tester's storefront comes first; a new account's is the session's, else the app's default`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let app = TesterSettings(storefront: "DEU", canMakePayments: false)
            let first = try await open(store, "alice", defaults: app)
            #expect(first.storefront == "DEU")
            #expect(!first.canMakePayments)
            // The session that creates the account names its storefront, before the app's default.
            #expect(try await open(store, "bob", storefront: "FRA", defaults: app).storefront == "FRA")
            // A default is for accounts that are not there yet: it moves no account.
            #expect(try await open(store, "bob", defaults: app).storefront == "FRA")
            let error = try await refusal { try await open(store, "bob", storefront: "DEU", defaults: app) }
            #expect(error?.code == .storefrontMismatch)
            #expect(error?.details["storefront"] == .string("FRA"))
            try await store.set("alice", TesterSettings(storefront: "FRA", canMakePayments: true))
            let moved = try await open(store, "alice", defaults: app)
            #expect(moved.storefront == "FRA")
            #expect(moved.canMakePayments)
            #expect(moved.customerIdentifier == first.customerIdentifier)
            // A tester set before its first session is found there.
            try await store.set("carol", TesterSettings(storefront: "FRA"))
            #expect(try await open(store, "carol", defaults: app).storefront == "FRA")
            #expect(
                try await refusal { try await open(store, "carol", storefront: "USA") }?.code == .storefrontMismatch)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an account is read by identifier or by name, with what its tester and its app say`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            func get(_ request: GetAccountRequest) async throws -> AccountReply {
                try await store.caller.call(PaymentEndpoints.getAccount, request)
            }
            store.catalogue.set(testerDefaults: TesterSettings(simulatedErrors: .init(loadProducts: "networkError")))
            let reply = try await alice.account()
            #expect(reply.account == "alice")
            #expect(reply.canMakePayments)
            #expect(reply.simulatedProductsError?.reason == "networkError")
            #expect(reply.simulatedReceiptError == nil)
            #expect(try await get(.init(bundleId: Catalogue.bundleId, account: "alice")) == reply)
            try await store.set(
                "alice", TesterSettings(canMakePayments: false, simulatedErrors: .init(loadProducts: "unknown")))
            #expect(try await alice.account().canMakePayments == false)
            #expect(try await alice.account().simulatedProductsError?.name == "unknown")
            let nobody = try await refusal { try await get(.init(bundleId: Catalogue.bundleId, account: "nobody")) }
            #expect(nobody?.code == .notFound)
            let other = try await refusal { try await get(.init(bundleId: "com.example.b", account: "alice")) }
            #expect(other?.code == .notFound)
            var both = GetAccountRequest(bundleId: Catalogue.bundleId, account: "alice")
            both.customerIdentifier = alice.customer
            #expect(try await refusal { try await get(both) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `while Catalog is away an account is read with what was known of its app`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            await store.stopCatalogue()
            #expect(try await alice.account().storefront == "USA")
        }
    }
}
