import BusClient
import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI

/// Goal: lists and standings that are asked for together are those asked for alone.
@Suite struct PaymentLoaderTests {
    /// PaymentQueue, whose replies to single questions wait at a gate.
    private final class Asked: Sendable {
        let gate = Gate()
        let alone = Locked<[String]>([])
        let together = Locked<[[String]]>([])
    }

    private func withQueue(
        _ body: @Sendable (InMemoryClient, ServiceCaller, Asked) async throws -> Void
    ) async throws {
        let bus = InMemoryBus()
        let (fake, asked) = (FakeService(.paymentQueue, on: bus), Asked())
        fake.handle(PaymentEndpoints.snapshot) { request in
            asked.alone.withLock { $0.append(request.customerIdentifier) }
            await asked.gate.wait()
            return Snapshot(transactions: [Sample.purchased(request.customerIdentifier)], seq: 1)
        }
        fake.handle(PaymentEndpoints.unfinishedLists) { request in
            asked.together.withLock { $0.append(request.lists.map(\.customerIdentifier)) }
            return UnfinishedLists(
                pages: try request.lists.map { list in
                    guard list.customerIdentifier != "alone" else { return nil }
                    let transactions = [Sample.purchased(list.customerIdentifier)]
                    return try StoreJSON.encode(TransactionsPage(transactions: transactions))[...]
                })
        }
        fake.handle(PaymentEndpoints.storePageCustomers) { request in
            let customers = request.customers.map(\.customerIdentifier)
            if customers.count == 1 {
                asked.alone.withLock { $0 += customers }
                await asked.gate.wait()
            } else {
                asked.together.withLock { $0.append(customers) }
            }
            // The reply to several ends before the customer that is asked about alone.
            let answered = customers.count == 1 ? customers[...] : customers.prefix { $0 != "alone" }
            return StorePageCustomers(
                standings: answered.map { $0 == "unknown" ? nil : Self.storePageCustomer(of: $0) })
        }
        await fake.start()
        let client = bus.client(name: "gateway")
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(client, ServiceCaller(bus: client, caller: "test"), asked))
        } catch { result = .failure(error) }
        await fake.stop()
        await client.close()
        try result.get()
    }

    /// Runs `body` until some questions were asked together. On a busy machine they may come so late that each is asked
    /// alone.
    private func run(
        _ body: @escaping @Sendable (InMemoryClient, ServiceCaller, Asked) async throws -> Void
    ) async throws {
        try await eventually("some are asked together", within: .seconds(60)) {
            let wereTogether = Locked(false)
            try await withQueue { client, services, asked in
                try await body(client, services, asked)
                wereTogether.withLock { $0 = asked.together.withLock { $0.contains { $0.count > 1 } } }
            }
            return wereTogether.withLock { $0 }
        }
    }

    private static func storePageCustomer(of customer: String) -> StorePageCustomer {
        StorePageCustomer(
            storefront: "USA", ownedProductIdentifiers: [customer], businessNow: Timestamp(milliseconds: 0))
    }

    /// Asks two questions that are held, and three more that wait for them.
    private func ask(
        _ asked: Asked, _ question: @escaping @Sendable (String) async throws -> [String]
    ) async throws {
        try await withThrowingTaskGroup(of: (String, [String]).self) { group in
            for (index, customer) in ["c1", "c2"].enumerated() {
                group.addTask { (customer, try await question(customer)) }
                while asked.gate.arrived <= index { await Task.yield() }
            }
            for customer in ["c3", "c4", "alone"] { group.addTask { (customer, try await question(customer)) } }
            try await eventually("the others are asked about when the first are late", within: .seconds(60)) {
                asked.together.withLock { !$0.isEmpty } || asked.alone.withLock { $0.count > 2 }
            }
            asked.gate.open()
            for try await (customer, answer) in group { #expect(answer == [customer]) }
        }
        #expect(asked.alone.withLock { Set($0).isSuperset(of: ["c1", "c2", "alone"]) })
    }

    private var context: CallContext { CallContext(deadline: .now + .seconds(60)) }

    @Test func `lists are asked for together, and alone where the reply has none`() async throws {
        try await run { client, services, asked in
            let questions = UnfinishedLoader(bus: client, services: services)
            try await ask(asked) { customer in
                let list = SnapshotRequest(
                    bundleId: "a", customerIdentifier: customer, deviceId: Sample.deviceId, countsDelivery: false)
                let page = try StoreJSON.decode(
                    TransactionsPage.self, from: try await questions.ask(list, context).written())
                return page.transactions.map(\.id)
            }
        }
    }

    @Test func `standings are asked for together, and alone where the reply has none`() async throws {
        try await run { client, services, asked in
            let questions = StorePageCustomerLoader(bus: client, services: services)
            try await ask(asked) { customer in
                let request = StorePageCustomerRequest(bundleId: "a", customerIdentifier: customer)
                return try await questions.ask(request, context)?.ownedProductIdentifiers ?? []
            }
        }
    }

    @Test func `an unknown customer has no standing`() async throws {
        try await withQueue { client, services, asked in
            asked.gate.open()
            let questions = StorePageCustomerLoader(bus: client, services: services)
            let request = StorePageCustomerRequest(bundleId: "a", customerIdentifier: "unknown")
            let reply = try await questions.ask(request, context)
            #expect(reply == nil)
        }
    }
}
