import Persistence
import ServiceDatabase
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: one batch of any commands leaves what as many batches of one command leave, and answers the same (P1 to P7).
/// Method: a seeded run of purchases, finishes and refunds of a few customers, performed on several stores. Each
/// customer is of an isolated store, whose numbers depend on its own commands alone.
@Suite(.serialized, .slow) struct CustomerBatchRunTests {
    /// A command, which can be performed on several stores.
    private enum Step: Sendable {
        case begin(PurchaseCommand, isKnown: Bool)
        case finish(String, of: CustomerReference)
        case takeBack(String, SubscriptionEnding, of: CustomerReference)
        /// Takes a number and a place, writes, and fails then.
        case fail(of: CustomerReference)
    }

    private static let limit = 4
    private static let customers = (0..<4).map { number in
        BatchSample.customer(
            "shopper\(number)",
            of: IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7 + number, seed: 42).bundleId)
    }
    private static let products = [
        BatchSample.coins, Product.product("season", .nonRenewable, "4.99"),
        Product.product("gems", .consumable, "1.99"),
    ]

    /// Steps that may be anything, mostly with an effect.
    private static func steps(_ count: Int, _ random: inout SplitMix64) throws -> [Step] {
        // The transactions that each customer may have, in the order of their commands.
        var ids: [CustomerReference: [String]] = [:]
        return try (0..<count).map { _ -> Step in
            let customer = customers[Int.random(in: customers.indices, using: &random)]
            let known = ids[customer, default: ["t_nothing"]]
            // Mostly one of the last ones, which may be of the same batch.
            let id = known.suffix(Bool.random(using: &random) ? 3 : 100).randomElement(using: &random) ?? "t_nothing"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                let quote = BatchSample.quote(
                    products[Int.random(in: products.indices, using: &random)],
                    limit: Bool.random(using: &random) ? limit : nil)
                let isAgreed = Int.random(in: 0..<8, using: &random) > 0
                let command = try BatchSample.command(
                    customer, key: "k\(Int.random(in: 0..<count / 4, using: &random))", quote: quote,
                    quantity: Int.random(in: 1...3, using: &random),
                    outcome: Int.random(in: 0..<6, using: &random) > 0 ? .authorized : .declined,
                    authorized: isAgreed ? nil : .usd("0.01"),
                    in: Int.random(in: 0..<10, using: &random) > 0 ? "USA" : "FRA")
                let authorized = isAgreed ? command.authorization?.id : nil
                ids[customer, default: []].append(authorized ?? command.purchase.id)
                return .begin(command, isKnown: Bool.random(using: &random))
            case 10..<14: return .finish(id, of: customer)
            case 14..<16: return .takeBack(id, .refunded, of: customer)
            case 16..<18: return .takeBack(id, .revoked, of: customer)
            default: return .fail(of: customer)
            }
        }
    }

    private static func command(_ step: Step) -> CustomerCommand {
        switch step {
        case .begin(let command, let isKnown):
            CustomerCommand(
                customer: command.customer, lookups: isKnown ? lookups(of: command) : [],
                numbers: isKnown ? [BatchNumbers.Key(.transaction, of: command.customer.bundleId): 1] : [:]
            ) { state in try text(of: try state.begin(command)) }
        case .finish(let id, let customer):
            CustomerCommand(customer: customer) { state in
                guard let stored = try state.transaction(id) else { throw StoreError(.notFound, "no such transaction") }
                return "finished \(try StoredJSON.text(try state.finish(stored, deviceId: "phone")))"
            }
        case .takeBack(let id, let ending, let customer):
            CustomerCommand(customer: customer) { state in
                guard let stored = try state.transaction(id) else { throw StoreError(.notFound, "no such transaction") }
                let taken = try state.takeBack(stored, ending, reason: .appIssue)
                return "\(ending) \(try StoredJSON.text(taken.transaction))"
            }
        case .fail(let customer):
            CustomerCommand(customer: customer) { state in
                let number = try state.nextIdentifier()
                state.write(BatchNote.insert("\(number) \(state.nextModifiedSeq())", "", of: state.customer))
                throw StoreError(.requestInvalid, "ordered by the test")
            }
        }
    }

    /// Returns what a purchase asks for.
    private static func lookups(of command: PurchaseCommand) -> [SQLLookupKey] {
        let (customer, purchase) = (command.customer, command.purchase)
        return [PaymentRepository.find(key: purchase.payment.requestIdentifier, of: customer).key]
            + CustomerState.lookups(for: purchase.quote, of: customer, purchase.payment, purchase.request)
    }

    private static func text(of outcome: PurchaseCommand.Outcome) throws -> String {
        if let begun = outcome.begun {
            return "\(outcome.isInProgress ? "begun" : "ended") \(try StoredJSON.text(begun.transaction))"
        }
        if let existing = outcome.existing {
            return "existing \(existing.transactionID) \(try StoredJSON.text(existing.reply))"
        }
        return "moved to \(outcome.storefront ?? "")"
    }

    private static func text(of result: Result<CustomerBatch.Outcome, any Error>) -> String {
        if let error = result.error { return (error as? StoreError).map { "\($0.code)" } ?? "\(error)" }
        return result.output ?? "not decided"
    }

    /// The rows of a store in the end.
    private struct Ended: Sendable {
        var outcomes: [String] = []
        /// The rows of each table.
        var rows: [String: [[String: SQLValue]]] = [:]
    }

    /// The tables that the steps write, with the order of their rows.
    private static let tables: KeyValuePairs<String, String> = [
        "customer": "bundle_id, customer_identifier", "payment_transaction": "bundle_id, created_seq",
        "journal": "bundle_id, seq", "server_event": "bundle_id, position",
        "capture": "transaction_id", "refund": "refund_key", "revocation": "bundle_id, seq",
        "isolated_counter": "bundle_id, name", "offer_nonce": "bundle_id, nonce",
    ]

    /// Performs steps on a store of its own, in batches of some size.
    private static func perform(_ steps: [Step], size: Int, _ engine: Engine) async throws -> Ended {
        var ended = Ended()
        try await TestStore.with(engine) { store in
            let (database, clock) = (store.database, store.current.service.context.clock)
            for customer in customers {
                try await database.write { transaction in
                    _ = try await CustomerRepository.open(
                        account: "alice", bundleId: customer.bundleId, storefront: "USA",
                        newIdentifier: customer.customerIdentifier, wall: clock.wall(), in: transaction)
                }
            }
            for start in stride(from: 0, to: steps.count, by: size) {
                let commands = steps[start..<min(start + size, steps.count)].map(command)
                let results = try await database.write { transaction in
                    try await CustomerBatch.perform(commands, waits: true, clock: clock, in: transaction)
                }
                ended.outcomes += results.map { text(of: $0) }
            }
            for (table, order) in tables {
                let rows = try await database.read { reader in
                    try await reader.query("SELECT * FROM \(table) ORDER BY \(order)")
                }
                ended.rows[table] = rows.map { row in
                    var values = Dictionary(uniqueKeysWithValues: zip(row.columns, row.values))
                    // The engine's own, and when a purchase's replica began on it.
                    for column in ["position", "xact", "claimed_until"] { values[column] = nil }
                    return values
                }
            }
        }
        return ended
    }

    @Test(arguments: 0..<3, Engine.allCases)
    func `P1 to P7: a batch of many commands leaves what batches of one leave, and answers the same`(
        _ round: Int, _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("customer batches \(round)")
        let steps = try Self.steps(300, &random)
        let expected = try await Self.perform(steps, size: 1, engine)
        for size in [steps.count, Int.random(in: 2...40, using: &random)] {
            let ended = try await Self.perform(steps, size: size, engine)
            for (place, outcome) in ended.outcomes.enumerated() {
                #expect(outcome == expected.outcomes[place], "step \(place) of batches of \(size): \(steps[place])")
            }
            #expect(ended.outcomes.count == steps.count)
            for (table, _) in Self.tables {
                let (rows, others) = (ended.rows[table] ?? [], expected.rows[table] ?? [])
                #expect(rows.count == others.count, "\(table), batches of \(size)")
                for (row, other) in zip(rows, others) { #expect(row == other, "\(table), batches of \(size)") }
            }
        }
        // The run has had some of everything.
        for word in ["ended", "begun", "existing", "moved", "finished", "refunded", "revoked", "notFound"] {
            #expect(expected.outcomes.contains { $0.hasPrefix(word) }, "\(word)")
        }
        #expect(expected.outcomes.allSatisfy { $0 != "not decided" })
        for (table, _) in Self.tables where table != "offer_nonce" {
            #expect(expected.rows[table]?.isEmpty == false, "\(table)")
        }
        #expect(expected.rows["offer_nonce"]?.isEmpty == true)
    }
}
