import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what an operator sets of an account is kept whole or refused whole, and its storefront moves the account's
/// customers at once.
@Suite(.serialized) struct TesterTests {
    @Test(arguments: Engine.allCases)
    func `M136: a tester is what was put, over StoreKit's own behaviour, and survives a restart`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            #expect(try await store.tester("alice") == Tester(account: "alice", settings: TesterSettings()))
            let settings = TesterSettings(storefront: "FRA", signIn: .fails, sheet: .decline(.paymentInvalid))
            let put = try await store.set("alice", settings)
            #expect(put.settings == settings)
            #expect(put.effective.storefront == "FRA")
            #expect(put.effective.canMakePayments == true)
            #expect(put.effective.sheet == .decline(.paymentInvalid))
            try await store.restartQueue()
            #expect(try await store.tester("alice") == put)
            // Replaced as a whole: what is not put again is not set any more.
            let next = try await store.set("alice", TesterSettings(canMakePayments: false))
            #expect(next.settings == TesterSettings(canMakePayments: false))
            #expect(next.effective.signIn == .ok)
            try await store.forget("alice")
            try await store.forget("alice")
            #expect(try await store.tester("alice").settings == TesterSettings())
        }
    }

    @Test(arguments: Engine.allCases)
    func `a storefront moves the account's customers in all apps, others stay`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let other = try await store.caller.call(
                PaymentEndpoints.openAccount,
                OpenAccountRequest(bundleId: "com.example.b", account: "alice", deviceId: "phone"))
            #expect(try await store.heads(alice, bob).storefronts == ["USA", "USA"])
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            #expect(try await store.heads(alice, bob).storefronts == ["FRA", "USA"])
            #expect(try await alice.account().storefront == "FRA")
            let again = try await store.caller.call(
                PaymentEndpoints.openAccount,
                OpenAccountRequest(bundleId: "com.example.b", account: "alice", deviceId: "phone"))
            #expect(again.customerIdentifier == other.customerIdentifier)
            #expect(again.storefront == "FRA")
            // Without a storefront of their own customers stay where they are, and the tester says so.
            try await store.forget("alice")
            #expect(try await alice.account().storefront == "FRA")
            #expect(try await store.tester("alice").effective.storefront == "FRA")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a holder has the version on a lease from its first request on`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            func lease(_ holder: String?) async throws -> LeasedVersion<TestersVersion> {
                try await store.caller.call(PaymentEndpoints.leaseTesters, TestersLeaseRequest(holder: holder))
            }
            let first = try await lease(nil)
            try await store.set("alice", TesterSettings(canMakePayments: false))
            for holder in [nil, "a.b"] {
                let reply = try await lease(holder)
                #expect(!reply.isLeased && reply.version.version == first.version.version + 1)
            }
            let holder = String(repeating: "a", count: VersionLease.holderLength)
            for _ in 1...2 {
                let reply = try await lease(holder)
                #expect(reply.isLeased && reply.version.version == first.version.version + 1)
            }
        }
    }

    @Test(arguments: ["fra", "FR", "ATA", ""], Engine.allCases)
    func `an unknown storefront is requestInvalid and nothing is stored`(_ storefront: String, _ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let error = try await refusal {
                try await store.set("alice", TesterSettings(storefront: storefront, canMakePayments: false))
            }
            #expect(error?.code == .requestInvalid)
            #expect(error?.details["path"] == .string("$.storefront"))
            #expect(try await store.tester("alice").settings == TesterSettings())
            #expect(try await alice.account().storefront == "USA")
        }
    }

    @Test(arguments: Engine.allCases)
    func `while Catalog is away a storefront is serviceUnavailable, other settings are kept`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            await store.stopCatalogue()
            let error = try await refusal { try await store.set("alice", TesterSettings(storefront: "FRA")) }
            #expect(error?.code == .serviceUnavailable)
            try await store.set("alice", TesterSettings(canMakePayments: false))
            #expect(try await store.tester("alice").effective.canMakePayments == false)
        }
    }

    @Test(arguments: Engine.allCases)
    func `every error a request may meet is kept`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let errors = TesterSettings.SimulatedErrors(
                loadProducts: "unknown", purchase: "unknown", restore: "unknown", receiptRefresh: "unknown",
                download: "unknown")
            let harmless = TesterSettings(
                interruptPurchases: true, subscriptionRenewalRate: .oneSecondIsOneDay, simulatedErrors: errors)
            let kept = try await store.set("alice", harmless)
            #expect(kept.settings == harmless)
        }
    }

    @Test(arguments: ["", "nonsense", "99", "-1", "PaymentInvalid"], Engine.allCases)
    func `an unknown error is requestInvalid`(_ name: String, _ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            for errors in [
                TesterSettings.SimulatedErrors(purchase: name), .init(loadProducts: name), .init(restore: name),
                .init(download: name), .init(receiptRefresh: name),
            ] {
                let error = try await refusal {
                    try await store.set("alice", TesterSettings(simulatedErrors: errors))
                }
                #expect(error?.code == .requestInvalid)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `the list has who was set and who was here, by name, in pages`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            for account in ["mallory", "bob", "alice"] { _ = try await store.customerApp(account) }
            try await store.set("carol", TesterSettings(canMakePayments: false))
            try await store.set("bob", TesterSettings(storefront: "DEU"))
            let all = try await store.testers()
            #expect(all.testers.map(\.account) == ["alice", "bob", "carol", "mallory"])
            #expect(all.testers.map(\.effective.storefront) == ["USA", "DEU", "USA", "USA"])
            #expect(all.after == nil)
            let first = try await store.testers(limit: 3)
            #expect(first.after == "carol")
            #expect(try await store.testers(after: first.after, limit: 3).testers.map(\.account) == ["mallory"])
            #expect(try await refusal { try await store.testers(limit: 0) }?.code == .requestInvalid)
            #expect(try await refusal { try await store.testers(limit: 501) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an account has a name`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            for account in ["", String(repeating: "a", count: 129)] {
                let refusals = [
                    try await refusal { try await store.set(account, .init()) },
                    try await refusal { try await store.tester(account) },
                    try await refusal { try await store.forget(account) },
                ]
                #expect(refusals.allSatisfy { $0?.code == .requestInvalid })
            }
        }
    }
}
