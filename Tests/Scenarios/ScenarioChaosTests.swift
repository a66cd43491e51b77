import BusClient
import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: with any disturbance of the bus each purchase is charged once and exists once (P1–P3, B6).
/// Method: customers buy at the same time over a broker that loses, doubles, delays, reorders and corrupts messages by
/// seeded rules, each repeating its key; then the bus is sound again, every customer asks once more, and the
/// processor's own books are compared with the queues.
@Suite(.process) struct ScenarioChaosTests {
    /// Requests and answers alike. Only answers are corrupted: nothing guards the header of a request, and a turned bit
    /// in it may name another customer, which no store could notice. The first rules strike in any run, however few
    /// messages it has.
    private static let rules = #"""
        {"seed":SEED,"rules":[
          {"match":"sb.>","p":0.5,"count":3,"action":"drop"},{"match":"_INBOX.>","p":0.5,"count":3,"action":"dup"},
          {"match":"sb.>","p":0.05,"action":"drop"},{"match":"_INBOX.>","p":0.05,"action":"drop"},
          {"match":"sb.>","p":0.1,"action":"dup"},{"match":"_INBOX.>","p":0.1,"action":"dup"},
          {"match":"sb.>","p":0.2,"action":"delay","ms":40},{"match":"_INBOX.>","p":0.2,"action":"delay","ms":40},
          {"match":"sb.>","p":0.1,"action":"reorder"},{"match":"sb.>","p":0.1,"action":"slice"},
          {"match":"_INBOX.>","p":0.01,"action":"corrupt"}]}
        """#

    @Test func `bought over a bus that loses, doubles, delays and corrupts: nothing is charged twice`() async throws {
        var random = SplitMix64.seeded("chaos")
        let rules = Self.rules.replacing("SEED", with: "\(Int.random(in: 0..<1_000_000, using: &random))")
        try await StoreStack.run(environment: ["STOREBUS_CHAOS": "true"]) { store in
            var customers: [ScenarioCustomer] = []
            for index in 0..<10 { customers.append(try await store.session(account: "shopper\(index)")) }
            _ = try await ask(store, "SET", rules)
            try await buy(customers)
            let faults = try #require(try await ask(store, "LIST")["faults"]?.objectValue)
            for fault in ["drop", "dup", "delay"] { #expect(faults[fault]?.intValue ?? 0 > 0, "\(fault) of \(faults)") }
            _ = try await ask(store, "CLEAR")
            // Now every answer is the right one, so what each customer has bought is known.
            let bought = try await buy(customers)
            let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
            #expect(approved.map(\.chargeKey).sorted() == bought.map { "purchase:\($0.id)" }.sorted())
            #expect(Set(bought.map(\.id)).count == customers.count, "each has its own transaction")
            for (customer, transaction) in zip(customers, bought) {
                #expect(try await customer.unfinished().map(\.id) == [transaction.id])
            }
        }
    }

    /// Buys once for each customer, repeating the same key until the store confirms.
    @discardableResult
    private func buy(_ customers: [ScenarioCustomer]) async throws -> [PaymentTransaction] {
        let bought = try await withThrowingTaskGroup(of: (Int, PaymentTransaction).self) { group in
            for (index, customer) in customers.enumerated() {
                group.addTask { (index, try await Self.buy(customer, key: "chaos-\(index)")) }
            }
            return try await group.reduce(into: [Int: PaymentTransaction]()) { $0[$1.0] = $1.1 }
        }
        return bought.sorted { $0.key < $1.key }.map(\.value)
    }

    /// A corrupted answer may say anything, so anything but a purchase is asked again.
    private static func buy(_ customer: ScenarioCustomer, key: String) async throws -> PaymentTransaction {
        var bought: PaymentTransaction?
        try await eventually("the purchase with key \(key) is decided", within: .seconds(60)) {
            guard let answer = try? await customer.add("com.example.fishingHotSpots", key: key), answer.status == 201
            else { return false }
            bought = try? answer.decoded(as: PaymentTransaction.self)
            return bought?.transactionState == .purchased
        }
        guard let bought else { throw StackError("no answer to \(key)") }
        return bought
    }

    private func ask(_ store: StoreStack, _ verb: String, _ body: String = "") async throws -> JSONValue {
        // The rules strike this connection's answers too, and asking twice changes nothing.
        try await store.withBus("operator") { bus in
            var answer: JSONValue?
            try await eventually("the broker answers \(verb)", within: .seconds(20)) {
                let reply = try? await bus.request(
                    "$SYS.CHAOS.\(verb)", body: Array(body.utf8), timeout: .seconds(2))
                answer = try reply.map { try StrictJSON.parse($0.body) }
                return answer != nil
            }
            guard let answer, answer["error"] == nil else { throw StackError("chaos: \(String(describing: answer))") }
            return answer
        }
    }
}
