import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: every device of a customer gets what the customer has lost, rather twice than never
/// (`didRevokeEntitlements…`).
@Suite(.serialized) struct RevocationTests {
    @Test(arguments: Engine.allCases)
    func `it is journalled for every device, the finished and the unfinished`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let head = try await alice.changes().head
            _ = try await store.refund(bought.id)
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.updated, .entitlementsRevoked])
            #expect(changes.last?.productIdentifiers == ["beaches"])
            #expect(changes.allSatisfy { $0.isVisible(to: "pad") })
            #expect(changes.first?.transaction?.revision == bought.revision + 1)
            let guide = try await alice.add("guide", key: "2").transaction
            try await alice.finish(guide.id)
            let next = try await alice.changes().head
            _ = try await store.revoke(guide.id)
            let more = try await alice.changes(after: next).changes
            #expect(more.filter { $0.isVisible(to: "pad") }.map(\.kind) == [.entitlementsRevoked])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a device that was away gets it with its next snapshots, until a stream has sent it`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let phone = try await store.customerApp()
            let pad = phone.on(device: "pad")
            #expect(try await phone.snapshot().revocations.isEmpty)
            #expect(try await pad.snapshot().revocations.isEmpty)
            let bought = try await phone.add("beaches", key: "1").transaction
            try await phone.finish(bought.id)
            _ = try await store.refund(bought.id)
            let lost = try await phone.snapshot().revocations
            #expect(lost.map(\.productIdentifiers) == [["beaches"]])
            #expect(try await phone.snapshot().revocations == lost)
            let seq = try #require(lost.first?.seq)
            try await phone.acknowledgeRevocations(seq)
            try await phone.acknowledgeRevocations(seq)
            #expect(try await phone.snapshot().revocations.isEmpty)
            #expect(try await pad.snapshot().revocations == lost)
            // It never goes back.
            try await phone.acknowledgeRevocations(0)
            #expect(try await phone.snapshot().revocations.isEmpty)
            try await store.restartQueue()
            #expect(try await pad.snapshot().revocations == lost)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a new device has lost nothing, and gets what comes after its first snapshot`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let phone = try await store.customerApp()
            let first = try await phone.add("beaches", key: "1").transaction
            _ = try await store.refund(first.id)
            let pad = phone.on(device: "pad")
            #expect(try await pad.snapshot().revocations.isEmpty)
            let second = try await phone.add("beaches", key: "2").transaction
            _ = try await store.refund(second.id)
            #expect(try await pad.snapshot().revocations.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a place the journal has not reached, and an unknown customer, are refused`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            #expect(try await refusal { try await alice.acknowledgeRevocations(7) }?.code == .requestInvalid)
            let nobody = alice.named("c_nobody")
            #expect(try await refusal { try await nobody.acknowledgeRevocations(0) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P11: a customer's loss is reported to that customer only`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bob = try await store.customerApp("bob", device: "phone")
            _ = try await bob.snapshot()
            let bought = try await alice.add("beaches", key: "1").transaction
            _ = try await store.refund(bought.id)
            #expect(try await bob.snapshot().revocations.isEmpty)
            #expect(try await bob.changes().changes.isEmpty)
        }
    }
}
