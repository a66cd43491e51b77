import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway

/// `didRevokeEntitlementsForProductIdentifiers` over a real connection.
@Suite struct GatewayRevocationTests {
    private static let event = "didRevokeEntitlementsForProductIdentifiers"

    private func open(_ store: GatewayHarness, _ token: String) async throws -> EventReader {
        let reader = try await store.stream(token)
        #expect(try await reader.next().name == "updatedTransactions")
        #expect(try await reader.next().name == "synchronized")
        return reader
    }

    @Test func `every device of the customer gets it once and acknowledges it`() async throws {
        try await GatewayHarness.run { store in
            let readers = [
                try await open(store, try await store.session()),
                try await open(store, try await store.session(device: "alice-2")),
            ]
            store.payments.revoke(["com.example.pro", "com.example.hiddenBeaches"])
            store.payments.commit(Sample.purchased("a"))
            for reader in readers {
                let told = try await reader.next()
                #expect(told.name == Self.event)
                #expect(
                    told.text
                        == #"{"productIdentifiers":["com.example.pro","com.example.hiddenBeaches"],"seq":1}"#)
                #expect(try await reader.next().transactions == ["a:2"])
                reader.hangUp()
            }
            try await eventually("both devices have acknowledged it") {
                let requests = store.payments.contents.withLock { $0.subscribing.acknowledged }
                return Set(requests.map(\.deviceId)) == ["alice-1", "alice-2"]
            }
            let requests = store.payments.contents.withLock { $0.subscribing.acknowledged }
            #expect(requests.allSatisfy { $0.seq == 1 && $0.customerIdentifier == FakePaymentQueue.customer })
        }
    }

    @Test func `what no stream was open for comes with the next, before the ends of restores`() async throws {
        try await GatewayHarness.run { store in
            store.payments.revoke(["com.example.pro"])
            store.payments.revoke(["com.example.hiddenBeaches"])
            store.payments.end(Restore(restoreIdentifier: "r1", state: .finished, restored: 0))
            let token = try await store.session()
            let reader = try await store.stream(token)
            #expect(try await reader.next().name == "updatedTransactions")
            for product in ["com.example.pro", "com.example.hiddenBeaches"] {
                let told = try await reader.next()
                #expect(told.name == Self.event)
                #expect(told.json["productIdentifiers"]?.arrayValue == [.string(product)])
            }
            #expect(try await reader.next().json["restoreIdentifier"] == "r1")
            #expect(try await reader.next().name == "synchronized")
            reader.hangUp()
            try await eventually("both are acknowledged") {
                store.payments.contents.withLock { $0.subscribing.undelivered.isEmpty }
                    && store.payments.acknowledged.contains("r1")
            }
            let again = try await open(store, token)
            again.hangUp()
        }
    }

    @Test func `one that could not be acknowledged comes with the next stream`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.refusesAcknowledgements = true }
            let token = try await store.session()
            let reader = try await open(store, token)
            store.payments.revoke(["com.example.pro"])
            #expect(try await reader.next().name == Self.event)
            reader.hangUp()
            try await eventually("the stream is gone") { store.gateway.app.delivery.streams.isEmpty }
            let second = try await store.stream(token)
            #expect(try await second.next().name == "updatedTransactions")
            #expect(try await second.next().name == Self.event, "at least once")
            #expect(try await second.next().name == "synchronized")
            store.payments.contents.withLock { $0.refusesAcknowledgements = false }
            second.hangUp()
            try await eventually("it is acknowledged") {
                store.payments.contents.withLock { !$0.subscribing.acknowledged.isEmpty }
            }
        }
    }

    @Test func `what happens to a subscription alone is not told, and costs nothing behind it`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.changeSubscription()
            store.payments.commit(Sample.purchased("a"))
            let told = try await reader.next()
            #expect(told.transactions == ["a:2"])
            #expect(told.seq == 2)
            #expect(store.payments.contents.withLock { $0.changesRequests.isEmpty }, "nothing was missed")
        }
    }
}
