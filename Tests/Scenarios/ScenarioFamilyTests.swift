import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what a member of a family buys is the others' within seconds, is revoked when they leave, and is never charged
/// again, whichever process dies in between.
/// Method: the real store over HTTP, on SQLite with one process of each service, on PostgreSQL with two payment queues.
@Suite(.process) struct ScenarioFamilyTests {
    private static let isle = "com.example.hiddenBeaches"
    private static let families = "/admin/v1/apps/com.example.app/families"

    @Test(arguments: Engine.allCases)
    func `F1, F2: a purchase reaches the member's device, survives a kill, and is lost by leaving`(
        _ engine: Engine
    ) async throws {
        try await StoreStack.run(
            engine == .postgres ? ["--replicas", "payment-queue=2"] : [],
            environment: try await engine.environment()
        ) { store in
            let alice = try await store.session(account: "alice")
            let bob = try await store.session(account: "bob", deviceId: "bob-1")
            try await store.must(.PUT, "\(Self.families)/smith", .object(["organiser": "alice"]))
            try await store.must(.PUT, "\(Self.families)/smith/members/bob", .object([:]))
            var observer = try await bob.observe()
            _ = try await observer.next { $0.name == "synchronized" }
            let bought = try await alice.buy(Self.isle, key: "isle")
            if engine == .sqlite {
                let killed = try store.signal("payment-queue")
                try await store.waitForReplacement(of: "payment-queue", after: killed)
            }
            var shared: PaymentTransaction?
            try await eventually("the member has it", within: .seconds(30)) {
                shared = try await bob.unfinished().first
                return shared != nil
            }
            let mine = try #require(shared)
            #expect(mine.isFamilyShared == true && mine.price == nil && mine.id != bought.id)
            #expect(mine.transactionState == .purchased && mine.payment.productIdentifier == Self.isle)
            let told = try await observer.next { $0.name == "updatedTransactions" }
            #expect(try told.transactions().map(\.id) == [mine.id])
            try await bob.finish(mine.id)
            try await store.must(.DELETE, "\(Self.families)/smith/members/bob")
            let lost = try await observer.next { $0.name == "didRevokeEntitlementsForProductIdentifiers" }
            #expect(lost.data["productIdentifiers"]?.arrayValue?.compactMap(\.stringValue) == [Self.isle])
            // Once more there and back is the same transaction.
            try await store.must(.PUT, "\(Self.families)/smith/members/bob", .object([:]))
            #expect(try await bob.unfinished().isEmpty)
            let charges = try await Ledger.charges(of: store)
            #expect(charges.filter { $0.outcome == .approved }.count == 1)
        }
    }
}
