import Operations
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

/// Goal: an operator sees in the log and on /metrics what was sold, renewed and taken back, each once.
@Suite(.serialized) struct SalesRecordTests {
    @Test(arguments: Engine.allCases)
    func `each outcome of a purchase is one line at info, and counted once`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1").transaction
            for _ in 0..<3 { _ = try await alice.add("coins", key: "1") }
            _ = try await alice.add("unknown", key: "2")
            store.processor.set(outcome: .declined)
            _ = try await alice.add("beaches", key: "3")
            store.processor.set(outcome: .approved)
            let deferred = try await alice.add(
                Payment(requestIdentifier: "4", productIdentifier: "coins", simulatesAskToBuyInSandbox: true))
            try await store.approve(deferred.transaction.id)
            let lines = store.logged("purchase ")
            #expect(
                lines.map { $0.prefix(while: { $0 != "[" }) } == [
                    "info purchase purchased ", "info purchase failed ", "info purchase failed ",
                    "info purchase deferred ", "info purchase purchased ",
                ])
            #expect(lines[0].contains(bought.id))
            #expect(lines[0].contains("0.99 USD"))
            #expect(lines[1].contains("paymentInvalid"))
            #expect(store.count("storebus_purchases_total", "state=\"purchased\"") == 2)
            #expect(store.count("storebus_purchases_total", "state=\"failed\"") == 2)
            #expect(store.count("storebus_purchases_total", "state=\"deferred\"") == 1)
            #expect(store.count("storebus_charges_total", "outcome=\"approved\"") == 2)
            #expect(store.count("storebus_charges_total", "outcome=\"declined\"") == 1)
            #expect(store.logged("charge ").count == 3)
        }
    }

    @Test(arguments: Engine.allCases)
    func `renewals, declines and refunds are lines and counts too`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-03-09")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-03-15T10:00:00.000Z")
            store.processor.set(outcome: .approved)
            for _ in 0..<2 { _ = try await store.refund(original) }
            let beaches = try await alice.add("beaches", key: "b").transaction
            _ = try await store.revoke(beaches.id)
            #expect(store.logged("renewal ").map { $0.split(separator: " ")[2] } == ["renewed", "declined"])
            #expect(store.count("storebus_renewals_total", "outcome=\"renewed\"") == 1)
            #expect(store.count("storebus_renewals_total", "outcome=\"declined\"") == 1)
            #expect(store.count("storebus_taken_back_total", "ending=\"refunded\"") == 1)
            #expect(store.count("storebus_taken_back_total", "ending=\"revoked\"") == 1)
            #expect(store.count("storebus_refunds_total", "") == 1)
            #expect(store.logged("purchase refunded").count == 1)
            #expect(store.logged("purchase revoked").count == 1)
            #expect(store.logged("charge refunded").count == 1)
        }
    }
}

extension TestStore {
    /// What was logged at info with a message that begins so.
    fileprivate func logged(_ message: String) -> [String] { log.all.filter { $0.hasPrefix("info \(message)") } }

    /// A counter's value on the page; nil where it is not there.
    fileprivate func count(_ name: String, _ labels: String) -> Int? {
        let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(name) && $0.contains(labels) }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }
}
