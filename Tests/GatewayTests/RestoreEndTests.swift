import BusClient
import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway

/// The ends of restores over a real connection: at least once, however a reader leaves.
@Suite struct RestoreEndTests {
    private func open(_ store: GatewayHarness, _ token: String) async throws -> EventReader {
        let reader = try await store.stream(token)
        #expect(try await reader.next().name == "updatedTransactions")
        #expect(try await reader.next().name == "synchronized")
        return reader
    }

    private func finished(_ id: String) -> Restore { Restore(restoreIdentifier: id, state: .finished, restored: 1) }

    @Test func `a restore's end comes behind what it restored and is acknowledged once read (M41, R2)`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.commit(Sample.purchased("a"))
            store.payments.end(finished("r1"))
            #expect(try await reader.next().transactions == ["a:2"])
            let end = try await reader.next()
            #expect(end.name == "restoreCompletedTransactionsFinished")
            #expect(end.text == #"{"restoreIdentifier":"r1","seq":2}"#)
            await store.tick()
            #expect(store.payments.acknowledged.isEmpty, "that it was written says nothing about the reader")
            reader.hangUp()
            try await eventually("the end is acknowledged") { store.payments.acknowledged == ["r1"] }
            let request = store.payments.contents.withLock { $0.acknowledged.first }
            #expect(request?.deviceId == Sample.deviceId)
            #expect(request?.customerIdentifier == FakePaymentQueue.customer)
        }
    }

    @Test func `a restore that failed ends with its error (M42)`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            store.payments.end(
                Restore(
                    restoreIdentifier: "r1", state: .failed, error: TransactionError(.paymentCancelled, "cancelled"),
                    restored: 0))
            let end = try await reader.next()
            #expect(end.name == "restoreCompletedTransactionsFailedWithError")
            #expect(end.json["restoreIdentifier"] == "r1")
            #expect(end.json["error"]?["name"] == "paymentCancelled")
        }
    }

    @Test func `an end that no stream was open for comes with the next, before synchronized`() async throws {
        try await GatewayHarness.run { store in
            store.payments.end(finished("r1"))
            let token = try await store.session()
            let reader = try await store.stream(token)
            #expect(try await reader.next().name == "updatedTransactions")
            #expect(try await reader.next().json["restoreIdentifier"] == "r1")
            #expect(try await reader.next().name == "synchronized")
            reader.hangUp()
            try await eventually("the end is acknowledged") { store.payments.acknowledged == ["r1"] }
            let again = try await open(store, token)
            again.hangUp()
        }
    }

    @Test func `an end whose reader broke off unread comes with the next stream`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let socket = RawConnection.hold(
                store, "GET /v1/transactions/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            try await eventually("the stream is live") {
                await store.tick()
                return store.payments.contents.withLock { !$0.headsRequests.isEmpty }
            }
            let stream = try #require(store.gateway.app.delivery.streams.first)
            store.payments.end(finished("r1"))
            try await eventually("the end has left the gateway") { stream.written == [.restoreEnd("r1")] }
            RawConnection.release(socket)
            try await eventually("the stream is gone") { store.gateway.app.delivery.streams.isEmpty }
            let reader = try await store.stream(token)
            #expect(try await reader.next().name == "updatedTransactions")
            #expect(try await reader.next().json["restoreIdentifier"] == "r1")
            #expect(store.payments.acknowledged == [])
            reader.hangUp()
            try await eventually("now it is acknowledged") { store.payments.acknowledged == ["r1"] }
        }
    }

    @Test func `an end that could not be acknowledged comes with the next stream`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.refusesAcknowledgements = true }
            let token = try await store.session()
            let reader = try await open(store, token)
            store.payments.end(finished("r1"))
            #expect(try await reader.next().json["restoreIdentifier"] == "r1")
            reader.hangUp()
            try await eventually("the stream is gone") { store.gateway.app.delivery.streams.isEmpty }
            let second = try await store.stream(token)
            #expect(try await second.next().name == "updatedTransactions")
            #expect(try await second.next().json["restoreIdentifier"] == "r1", "at least once")
            #expect(try await second.next().name == "synchronized")
            store.payments.contents.withLock { $0.refusesAcknowledgements = false }
            second.hangUp()
            try await eventually("it is acknowledged") { store.payments.acknowledged.contains("r1") }
        }
    }

    /// Checks that bytes in the gateway's buffers at the cut are not acknowledged.
    @Test func `a slow reader is cut and loses nothing, a restore's end neither (Q1)`() async throws {
        try await GatewayHarness.run(admission: { SlowClientTests.impatient($0) }) { store in
            let token = try await store.session()
            let socket = RawConnection.hold(
                store,
                "GET /v1/transactions/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            defer { RawConnection.release(socket) }
            store.payments.commit(Sample.purchased("first"))
            try await eventually("the stream is live") {
                await store.tick()
                return store.gateway.app.delivery.streams.first?.position == 1
            }
            let stream = try #require(store.gateway.app.delivery.streams.first)
            // More than the buffers of both kernels take: the rest of it waits in the gateway, as the end does.
            var large = Sample.purchased("a")
            large.payment.applicationUsername = String(repeating: "x", count: 450_000)
            store.payments.contents.withLock { $0.publishes = false }
            for _ in 0..<13 {
                large.revision += 1
                stream.receive(hint: store.payments.commit(large))
            }
            stream.receive(hint: store.payments.end(finished("r1")))
            store.payments.contents.withLock { $0.publishes = true }
            try await eventually("the reader is cut") {
                large.revision += 1
                large.payment.applicationUsername = "x"
                store.payments.commit(large)
                await store.tick()
                return store.gateway.app.delivery.streams.isEmpty
            }
            #expect(store.payments.acknowledged == [])
            let reader = try await store.stream(token)
            #expect(try await reader.next().transactions == ["first:2", "a:\(large.revision)"])
            #expect(try await reader.next().json["restoreIdentifier"] == "r1")
            #expect(try await reader.next().name == "synchronized")
            reader.hangUp()
            try await eventually("now it is acknowledged") { store.payments.acknowledged == ["r1"] }
        }
    }
}
