import BusClient
import BusService
import EventLoop
import StoreModels
import Testing

@testable import AppAPI

/// Goal: asked together or alone, each caller gets the answer to its own question, and one that is younger than it.
@Suite struct EligibilityLoaderTests {
    /// Eligibility, whose answers about one customer wait at a gate when there is one.
    private final class Asked: Sendable {
        struct State {
            var used: Set<String> = []
            /// The customers of each batch.
            var batches: [[String]] = []
            /// The customers that were not asked about in a batch.
            var others: [String] = []
            var gate: Gate?
        }

        let state = Locked(State())

        func answer(_ customer: String, _ products: [String]) -> EligibilityReply {
            let isUsed = state.withLock { $0.used.contains(customer) }
            return EligibilityReply(
                eligibility: products.map {
                    ProductEligibility(
                        productIdentifier: $0, subscriptionGroupIdentifier: customer,
                        eligibility: isUsed ? .ineligible : .eligible, rule: isUsed ? .offerUsed : .newSubscriber)
                }, degraded: [])
        }
    }

    private func withEligibility(
        _ body: @Sendable (EligibilityLoader, Asked, FakeService) async throws -> Void
    ) async throws {
        let bus = InMemoryBus()
        let (fake, asked) = (FakeService(.eligibility, on: bus), Asked())
        fake.handle(EligibilityEndpoints.check) { request in
            let gate = asked.state.withLock { state in
                state.others.append(request.customerIdentifier)
                return state.gate
            }
            let answer = asked.answer(request.customerIdentifier, request.productIdentifiers ?? [])
            await gate?.wait()
            return answer
        }
        fake.handle(EligibilityEndpoints.checkMany) { batch in
            let gate = asked.state.withLock { state in
                state.batches.append(batch.customers.map(\.customerIdentifier))
                return batch.customers.count == 1 ? state.gate : nil
            }
            let replies = batch.customers.map { asked.answer($0.customerIdentifier, $0.productIdentifiers) }
            await gate?.wait()
            return EligibilityBatchReply(replies: replies)
        }
        await fake.start()
        let client = bus.client(name: "gateway")
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body(
                    EligibilityLoader(bus: client, services: ServiceCaller(bus: client, caller: "test")), asked, fake
                ))
        } catch { result = .failure(error) }
        await fake.stop()
        await client.close()
        try result.get()
    }

    private func request(_ customer: String, _ products: [String]? = ["pro"], app: String = "a") -> EligibilityRequest {
        EligibilityRequest(
            bundleId: app, customerIdentifier: customer, storefront: "USA", productIdentifiers: products)
    }

    private var context: CallContext { CallContext(deadline: .now + .seconds(30)) }

    /// Waits until `count` wait at the gate.
    private func arrived(_ gate: Gate, _ count: Int) async {
        while gate.arrived < count { await Task.yield() }
    }

    @Test func `one at a time is a batch of one`() async throws {
        try await withEligibility { questions, asked, _ in
            for customer in ["c1", "c2"] {
                let reply = try await questions.ask(request(customer), context)
                #expect(reply.eligibility.map(\.subscriptionGroupIdentifier) == [customer])
            }
            #expect(asked.state.withLock { $0.batches } == [["c1"], ["c2"]])
            #expect(asked.state.withLock { $0.others.isEmpty })
        }
    }

    @Test func `O2: asked together under load, and never answered with what was known before the question`()
        async throws
    {
        try await withEligibility { questions, asked, _ in
            let gate = Gate()
            asked.state.withLock { $0.gate = gate }
            try await withThrowingTaskGroup(of: (String, EligibilityReply).self) { group in
                for customer in ["c1", "c2"] {
                    group.addTask { (customer, try await questions.ask(request(customer), context)) }
                    await arrived(gate, customer == "c1" ? 1 : 2)
                }
                // Both are under way with "eligible" in their hands; now the offer is used, and acknowledged.
                asked.state.withLock { $0.used = ["c1", "c2", "c3", "c4"] }
                for customer in ["c3", "c4"] {
                    group.addTask { (customer, try await questions.ask(request(customer), context)) }
                }
                group.addTask { ("c1", try await questions.ask(request("c1", ["pro", "news"]), context)) }
                gate.open()
                for try await (customer, reply) in group {
                    #expect(reply.eligibility.allSatisfy { $0.subscriptionGroupIdentifier == customer })
                    guard customer != "c2", reply.eligibility.count == 2 || customer != "c1" else { continue }
                    #expect(reply.eligibility.allSatisfy { $0.eligibility == .ineligible })
                }
            }
        }
    }

    @Test func `many at once are few questions; another app's are its own; all products are asked alone`()
        async throws
    {
        try await withEligibility { questions, asked, _ in
            let gate = Gate()
            asked.state.withLock { $0.gate = gate }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let reply = try await questions.ask(request("c\(number)"), context)
                        #expect(reply.eligibility.map(\.subscriptionGroupIdentifier) == ["c\(number)"])
                    }
                }
                await arrived(gate, 2)
                group.addTask { _ = try await questions.ask(request("other", app: "b"), context) }
                group.addTask { _ = try await questions.ask(request("all", nil), context) }
                await arrived(gate, 4)
                gate.open()
                try await group.waitForAll()
            }
            let (batches, others) = asked.state.withLock { ($0.batches, $0.others) }
            #expect(batches.allSatisfy { $0.count <= EligibilityBatch.customersMax })
            #expect(batches.filter { $0.contains("other") } == [["other"]])
            #expect(others == ["all"])
        }
    }

    @Test func `every request that waits for Eligibility fails when it goes away`() async throws {
        try await withEligibility { questions, asked, fake in
            let gate = Gate()
            asked.state.withLock { $0.gate = gate }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        do throws(StoreError) {
                            _ = try await questions.ask(
                                request("c\(number)"), CallContext(deadline: .now + .seconds(1)))
                            return false
                        } catch { return error.meansAway }
                    }
                }
                await arrived(gate, 2)
                fake.goAway()
                gate.open()
                for try await wasTold in group { #expect(wasTold) }
            }
        }
    }
}
