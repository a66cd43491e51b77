import EventLoop
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: charges that are asked for at the same time are one request to the processor, and each has its own result.
/// Method: a processor that a test holds. All charges are asked for on one loop, as in a process of its own.
@Suite(.serialized) struct ChargeCollectorTests {
    private struct Contents {
        var asked: [AuthorizeChargesRequest] = []
        var arrived = 0
        var isLost = false
        var holder: CheckedContinuation<Void, Never>?
    }

    /// Asks about charges, the first one alone and the others while it is under way.
    private static func ask(
        _ products: [String], capturesAtOnce: Bool, isLost: Bool = false, until last: ContinuousClock.Instant? = nil
    ) async throws -> (charges: [Charge?], requests: [AuthorizeChargesRequest]) {
        var charges: [Charge?] = []
        let contents = Locked(Contents())
        try await TestStore.with { store in
            var collaborators = store.current.service.context.collaborators
            collaborators.authorize = { request, _ async throws(StoreError) in
                try await answer(request, contents)
            }
            let loop = try TestDatabase.loop
            let collector = ChargeCollector(on: loop, collaborators, capturesAtOnce: capturesAtOnce)
            let start = { @Sendable (number: Int) in
                Task(executorPreference: loop) {
                    contents.withLock { $0.arrived += 1 }
                    return try await collector.run(
                        CreateChargeRequest(
                            chargeKey: "key \(number)", amount: .usd("0.99"), bundleId: "app",
                            customerIdentifier: "alice", productIdentifier: products[number]),
                        until: last ?? .now + .seconds(60))
                }
            }
            var tasks = [start(0)]
            if last == nil {
                try await eventually("the first one is held") { contents.withLock { $0.holder != nil } }
            }
            contents.withLock { $0.isLost = isLost }
            tasks += products.indices.dropFirst().map(start)
            try await eventually("all have arrived") { contents.withLock { $0.arrived } == products.count }
            contents.withLock { $0.holder }?.resume()
            for task in tasks { charges.append(try await task.value) }
        }
        return (charges, contents.withLock { $0.asked })
    }

    private static func answer(
        _ request: AuthorizeChargesRequest, _ contents: Locked<Contents>
    ) async throws(StoreError) -> AuthorizeChargesReply {
        let isFirst = contents.withLock { contents in
            contents.asked.append(request)
            return contents.asked.count == 1
        }
        if isFirst { await withCheckedContinuation { holder in contents.withLock { $0.holder = holder } } }
        if contents.withLock({ $0.isLost }), !isFirst { throw StoreError(.deadlineExceeded, "ordered by the test") }
        return AuthorizeChargesReply(
            charges: request.charges.map { charge in
                guard charge.productIdentifier != "refused" else {
                    return AuthorizedCharge(error: StoreError(.requestInvalid, "ordered by the test"))
                }
                return AuthorizedCharge(charge: BatchSample.charge(charge.chargeKey, charge.amount, .approved))
            })
    }

    @Test func `charges that arrive while the processor is asked are one request, and each has its result`()
        async throws
    {
        for capturesAtOnce in [true, false] {
            let (charges, requests) = try await Self.ask(
                ["coins", "coins", "refused", "coins"], capturesAtOnce: capturesAtOnce)
            #expect(requests.map(\.charges.count) == [1, 3])
            #expect(requests.allSatisfy { ($0.capturesAtOnce == true) == capturesAtOnce })
            #expect(charges.map { $0?.chargeKey } == ["key 0", "key 1", nil, "key 3"])
        }
    }

    @Test func `a reply that is lost leaves each of its charges without a result`() async throws {
        let (charges, requests) = try await Self.ask(["coins", "coins", "coins"], capturesAtOnce: true, isLost: true)
        #expect(requests.map(\.charges.count) == [1, 2])
        #expect(charges.map { $0?.chargeKey } == ["key 0", nil, nil])
    }

    @Test func `a charge whose caller cannot wait for the reply is not asked for`() async throws {
        let (charges, requests) = try await Self.ask(
            ["coins"], capturesAtOnce: true, until: .now + ChargeCollector.leastTime)
        #expect(charges.count == 1 && charges.first == .some(nil))
        #expect(requests.isEmpty)
    }
}
