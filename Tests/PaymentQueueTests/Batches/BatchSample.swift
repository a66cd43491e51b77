import Persistence
import ServiceDatabase
import StoreModels

@testable import PaymentQueue

/// Customers, commands and charges without a database.
enum BatchSample {
    static let bundleId = "com.example.app"
    static let wall = Timestamp(milliseconds: 1_795_000_000_000)
    static let coins = Product.product("coins", .consumable, "0.99")

    static func customer(_ account: String = "alice", of bundleId: String = BatchSample.bundleId) -> CustomerReference {
        CustomerReference(bundleId: bundleId, customerIdentifier: "c_\(account)")
    }

    /// The state of a customer as a batch reads it.
    static func state(
        _ customer: CustomerReference = BatchSample.customer(), headSeq: Int64 = 0, modifiedSeq: Int64 = 0,
        storefront: String = "USA", settings: TesterSettings = TesterSettings(),
        clock: AppClock = .started(at: BatchSample.wall)
    ) -> CustomerState {
        CustomerState(
            account: Customer(
                id: customer, account: "alice", storefront: storefront, headSeq: headSeq, prunedSeq: 0,
                modifiedSeq: modifiedSeq, appTransaction: 7), clock: clock, settings: settings, wall: wall)
    }

    static func quote(
        _ product: Product = BatchSample.coins, limit: Int? = nil, defaults: TesterSettings? = nil,
        availability: Quote.Availability = .available
    ) -> Quote {
        Quote(
            catalogVersion: 1, settingsRevision: 1, availability: availability, product: product,
            unfinishedLimit: limit, testerDefaults: defaults)
    }

    /// A purchase that the processor has authorized or declined.
    /// - Parameters:
    ///   - authorized: The amount of the charge. Nil for the price of the quote.
    ///   - storefront: The storefront that the quote is for.
    static func command(
        _ customer: CustomerReference = BatchSample.customer(), key: String, quote: Quote = BatchSample.quote(),
        quantity: Int = 1,
        outcome: Charge.Outcome = .authorized, authorized: Money? = nil, in storefront: String = "USA"
    ) throws -> PurchaseCommand {
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: wall, random: &random)
        let product = quote.product ?? coins
        let payment = Payment(
            requestIdentifier: key, productIdentifier: product.productIdentifier, quantity: quantity)
        guard let amount = authorized ?? product.price.times(quantity),
            let authorization = PurchaseAuthorization(
                id: id, amount: amount, charge(StoredTransaction.chargeKey(of: id), amount, outcome))
        else { throw StoreError(.internal, "the sample has no such authorization") }
        return PurchaseCommand(
            customer: customer,
            purchase: NewPurchase(
                id: id, payment: payment, deviceId: "phone", quote: quote,
                fingerprint: RequestFingerprint.of(payment)),
            storefront: storefront, authorization: authorization, deadline: .now + .seconds(60))
    }

    static func charge(_ key: String, _ amount: Money?, _ outcome: Charge.Outcome) -> Charge {
        Charge(
            chargeKey: key, chargeIdentifier: "1", outcome: outcome, amount: amount,
            declineReason: outcome == .declined ? "No money." : nil, createdAt: wall)
    }
}

/// A customer's part of a batch of plain purchases. It has the rows of a test instead of a database's.
final class SampleCustomer {
    private(set) var state: CustomerState
    private var numbers = BatchNumbers()
    /// The number of unfinished transactions before the batch.
    let unfinished: Int
    /// The payments of earlier batches, by key.
    let paid: [String: StoredPayment]
    /// The changes of all decisions.
    private(set) var changes: [SQLChange] = []
    /// The journalled changes of the last decision.
    private(set) var published: [PublishedChange] = []
    /// The purchases that can continue after the last decision.
    private(set) var woken: [String] = []

    /// - Parameter first: The first of the numbers for transactions, which grow by one.
    init(
        _ state: CustomerState, unfinished: Int = 0, paid: [String: StoredPayment] = [:],
        numbersFrom first: Int64 = 1_001, count: Int = 100
    ) {
        self.state = state
        self.unfinished = unfinished
        self.paid = paid
        numbers.add(
            Array(first..<first + Int64(count)), of: BatchNumbers.Key(.transaction, of: state.customer.bundleId))
    }

    /// Decides about an authorized purchase, with the rows that the decision asks for.
    func buy(_ command: PurchaseCommand) throws -> PurchaseCommand.Outcome {
        while true {
            do {
                let (next, decided) = try state.deciding({ state in try state.buy(command) }, with: &numbers)
                guard let outcome = decided.output as? PurchaseCommand.Outcome else {
                    throw StoreError(.internal, "a purchase without an outcome")
                }
                state = next
                changes += decided.changes + decided.logs
                (published, woken) = (decided.published, decided.woken)
                return outcome
            } catch let unread as CustomerState.Unread {
                guard unread.numbers.isEmpty, !unread.lookups.isEmpty else { throw unread }
                for key in unread.lookups { state.add(try rows(of: key), of: key) }
            }
        }
    }

    /// The rows that a database would have.
    private func rows(of key: SQLLookupKey) throws -> [SQLRow] {
        let customer = state.customer
        if key.statement === PaymentRepository.find(key: "", of: customer).key.statement,
            case .text(let name) = key.values.last
        {
            guard let payment = paid[name] else { return [] }
            let (fingerprint, id) = (payment.fingerprint, payment.transactionID)
            let reply = try payment.reply.map { SQLValue.text(try StoredJSON.text($0.transaction)) }
            return [
                SQLRow(
                    columns: ["fingerprint", "transaction_id", "answer_status", "reply"],
                    values: [.text(fingerprint), .text(id), .null, reply ?? .null])
            ]
        }
        if key.statement === TransactionRepository.unfinishedCount(of: customer, limit: 0).key.statement,
            case .integer(let limit) = key.values.last
        {
            let count = min(Int64(unfinished + state.boughtCount), limit)
            return [SQLRow(columns: ["unfinished"], values: [.integer(count)])]
        }
        // The customer has no subscriptions, and owns nothing.
        return []
    }
}

extension PurchaseCommand.Outcome {
    /// The purchase that was sold, or that has failed.
    var stored: StoredTransaction? { if case .sold(let stored) = self { stored } else { nil } }

    var existing: StoredPayment? { if case .existing(let payment) = self { payment } else { nil } }

    /// The customer's storefront, if it is another one than the quote's.
    var storefront: String? { if case .moved(let storefront) = self { storefront } else { nil } }

    var isOtherTerms: Bool { if case .otherTerms = self { true } else { false } }
}
