import BusService
import StoreModels
import Testing

/// Goal: one customer per app and account, in a storefront that is fixed when the account is created.
@Suite(.serialized) struct AccountTests {
    private func open(
        _ store: TestStore, _ account: String, app: String = "com.example.app", storefront: String? = nil
    ) async throws -> OpenAccountReply {
        try await store.caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: app, account: account, deviceId: "phone", storefront: storefront))
    }

    @Test func `opening again is the same customer, another app or account is another`() async throws {
        try await TestStore.with { store in
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

    @Test func `sixteen first sessions at once make one customer`() async throws {
        try await TestStore.with { store in
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await open(store, "alice", storefront: "FRA") } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(replies.count == 1)
        }
    }

    @Test func `another storefront than the account's is storefrontMismatch`() async throws {
        try await TestStore.with { store in
            let first = try await open(store, "alice", storefront: "FRA")
            #expect(first.storefront == "FRA")
            #expect(try await open(store, "alice").storefront == "FRA")
            #expect(
                try await refusal { try await open(store, "alice", storefront: "DEU") }?.code == .storefrontMismatch)
        }
    }

    @Test(arguments: ["fra", "FR", "FRAN", ""]) func `a storefront is an alpha-3 code`(_ storefront: String)
        async throws
    {
        try await TestStore.with { store in
            let error = try await refusal { try await open(store, "alice", storefront: storefront) }
            #expect(error?.code == .requestInvalid)
        }
    }

    @Test func `an account has 1 to 128 characters`() async throws {
        try await TestStore.with { store in
            for account in ["", String(repeating: "a", count: 129)] {
                #expect(try await refusal { try await open(store, account) }?.code == .requestInvalid)
            }
            _ = try await open(store, String(repeating: "é", count: 128))
        }
    }
}
