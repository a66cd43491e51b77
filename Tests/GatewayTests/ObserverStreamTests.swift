import EventLoop
import StoreHTTP
import StoreModels
import Testing

@testable import AppAPI
@testable import GatewayEdge

/// Slow observers, without a connection.
@Suite struct ObserverStreamTests {
    private let cuts = Counting()
    private let onStorefrontSent = ElementRecorder<String>()
    private let start = ContinuousClock.now

    private final class Counting: Sendable {
        private let value = Locked(0)
        func add() { value.withLock { $0 += 1 } }
        var count: Int { value.withLock { $0 } }
    }

    private func stream(tellsChanges: Bool = false) -> ObserverStream {
        let session = Session(
            identifier: "s", startedAt: Timestamp(milliseconds: 0), bundleId: Sample.bundleId,
            customerIdentifier: FakePaymentQueue.customer, account: "alice", deviceId: Sample.deviceId, client: .app,
            storefront: "USA", platform: .iOS, promotedPurchases: .none)
        let stream = ObserverStream(
            id: 1, session: session, promotedPurchases: .none, tellsChanges: tellsChanges, storefront: "USA",
            now: start, cut: { [cuts] in cuts.add() }, forget: { _ in },
            onStorefrontSent: { [onStorefrontSent] in onStorefrontSent.append($0) })
        stream.receive(Snapshot(transactions: [], seq: 0))
        return stream
    }

    private func change(_ seq: Int64, payload: Int = 10) -> CustomerChange {
        var transaction = Sample.purchased("t\(seq)")
        transaction.payment.applicationUsername = String(repeating: "x", count: payload)
        return CustomerChange(
            bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer, seq: seq, kind: .updated,
            transaction: transaction)
    }

    @Test func `more than eight mebibytes waiting cut the connection`() async {
        let stream = stream()
        let mebibyte = 1 << 20
        for seq in 1...8 { stream.receive(hint: change(Int64(seq), payload: mebibyte - 1024)) }
        #expect(cuts.count == 0)
        stream.receive(hint: change(9, payload: mebibyte))
        #expect(cuts.count == 1)
        guard case .end = await stream.next() else {
            Issue.record("a stream that was cut has nothing more to send")
            return
        }
    }

    @Test func `a storefront counts as told when it has been written`() async {
        let stream = stream()
        _ = await stream.next()
        stream.receive(Storefront(countryCode: "FRA", identifier: "143442"))
        stream.writeEnded()
        #expect(onStorefrontSent.all.isEmpty)
        _ = await stream.next()
        #expect(onStorefrontSent.all.isEmpty)
        stream.writeEnded()
        stream.writeEnded()
        #expect(onStorefrontSent.all == ["FRA"])
    }

    @Test func `a comment comes every fifteen seconds`() async {
        let stream = stream()
        _ = await stream.next()
        stream.tick(now: start + .seconds(14))
        stream.tick(now: start + .seconds(15))
        guard case .write(let bytes) = await stream.next() else {
            Issue.record("a comment was due")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == ": alive\n\n")
    }

    /// The text of the next write. Nil for another step.
    private func nextText(_ stream: ObserverStream) async -> String? {
        guard case .write(let bytes) = await stream.next() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The `seq` values of the changes that the next step has signed. Nil for another step.
    private func nextSigned(_ stream: ObserverStream) async -> [Int64]? {
        guard case .sign(let changes) = await stream.next() else { return nil }
        return changes.map(\.seq)
    }

    @Test func `later events are written while changes are being signed`() async {
        let stream = stream(tellsChanges: true)
        _ = await stream.next()
        stream.receive(hint: change(1))
        #expect(await nextText(stream)?.contains("updatedTransactions") == true)
        #expect(await nextSigned(stream) == [1])
        stream.receive(hint: change(2))
        #expect(await nextText(stream)?.contains("t2") == true)
        stream.receive(
            SignedChanges(
                outcomes: [
                    .init(id: "t1", isHeld: false, wasDeferred: false, isRenewal: false, signedTransaction: "jws 1")
                ], statuses: []), of: [])
        #expect(await nextSigned(stream) == [2])
    }

    @Test func `while AppStoreServer is away, changes wait for the tick, and the comment says so`() async {
        let stream = stream(tellsChanges: true)
        _ = await stream.next()
        stream.receive(hint: change(1))
        _ = await stream.next()
        #expect(await nextSigned(stream) == [1])
        stream.signingFailed(.deadlineExceeded)
        #expect(await nextText(stream) == ": degraded receipts\n\n")
        stream.tick(now: start + .seconds(1))
        #expect(await nextSigned(stream) == [1])
    }

    @Test func `a change that cannot be signed has the stream read everything again`() async {
        let stream = stream(tellsChanges: true)
        _ = await stream.next()
        stream.receive(hint: change(1))
        _ = await stream.next()
        #expect(await nextSigned(stream) == [1])
        stream.signingFailed(.internal)
        _ = await stream.next()
        guard case .read(.snapshot(after: nil, countsDelivery: false)) = await stream.next() else {
            Issue.record("the stream reads the unfinished transactions")
            return
        }
    }

    @Test func `a cancelled task ends the stream instead of waiting`() async {
        let stream = stream()
        _ = await stream.next()
        let waiting = Task { await stream.next() }
        waiting.cancel()
        guard case .end = await waiting.value else {
            Issue.record("a cancelled stream ends")
            return
        }
    }

    @Test func `the subject of a customer is a digest of both names (S13)`() {
        let customer = CustomerReference(bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)
        #expect(HintSubject.changed(customer) == "sb.evt.payment.v1.customer.changed.\(Sample.customerKey)")
        let strange = CustomerReference(bundleId: "*.>", customerIdentifier: "a b\n")
        #expect(HintSubject.changed(strange).utf8.count == HintSubject.changed(customer).utf8.count)
    }
}
