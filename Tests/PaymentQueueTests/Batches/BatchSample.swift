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
    ///   - outcome: The processor's answer, or nil if the purchase is not authorized.
    ///   - authorized: The amount of the charge. Nil for the price of the quote.
    ///   - storefront: The storefront that the quote is for.
    static func command(
        _ customer: CustomerReference = BatchSample.customer(), key: String, quote: Quote = BatchSample.quote(),
        quantity: Int = 1,
        outcome: Charge.Outcome? = .authorized, authorized: Money? = nil, in storefront: String = "USA"
    ) throws -> PurchaseCommand {
        let product = quote.product ?? coins
        let payment = Payment(
            requestIdentifier: key, productIdentifier: product.productIdentifier, quantity: quantity)
        guard let amount = authorized ?? product.price.times(quantity) else {
            throw StoreError(.internal, "the sample has no such price")
        }
        return PurchaseCommand(
            customer: customer,
            purchase: NewPurchase(
                id: newIdentifier(), payment: payment, deviceId: "phone", quote: quote,
                fingerprint: RequestFingerprint.of(payment)),
            storefront: storefront, authorization: outcome.flatMap { authorization(of: amount, $0) },
            deadline: .now + .seconds(60))
    }

    /// The processor's answer about a charge of its own.
    private static func authorization(of amount: Money, _ outcome: Charge.Outcome) -> PurchaseAuthorization? {
        let id = newIdentifier()
        return PurchaseAuthorization(
            id: id, amount: amount, charge(StoredTransaction.chargeKey(of: id), amount, outcome))
    }

    private static func newIdentifier() -> String {
        var random = SystemRandomNumberGenerator()
        return Identifiers.transaction(wall: wall, random: &random)
    }

    static func charge(_ key: String, _ amount: Money?, _ outcome: Charge.Outcome) -> Charge {
        Charge(
            chargeKey: key, chargeIdentifier: "1", outcome: outcome, amount: amount,
            declineReason: outcome == .declined ? "No money." : nil, createdAt: wall)
    }
}

/// A customer's part of a batch of purchases. It has the rows of a test instead of a database's.
final class SampleCustomer {
    private(set) var state: CustomerState
    private var numbers = BatchNumbers()
    /// The number of unfinished transactions in the rows that the state reads next.
    private var unfinishedRows: Int
    /// The payments in those rows, by key.
    private var paid: [String: StoredPayment]
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
        unfinishedRows = unfinished
        self.paid = paid
        let app = state.customer.bundleId
        numbers.add(Array(first..<first + Int64(count)), of: BatchNumbers.Key(.transaction, of: app))
        numbers.add(Array(1...Int64(count)), of: BatchNumbers.Key(.prompt, of: app))
    }

    /// The number of unfinished transactions.
    var unfinished: Int { unfinishedRows + state.boughtCount }
    /// The number of keys that have a payment.
    var paidCount: Int { paid.count + state.payments.count }
    /// The payment of a key.
    func payment(_ key: String) -> StoredPayment? { state.payments[ExactText(key)] ?? paid[key] }

    /// Decides about a purchase, with the rows that the decision asks for.
    func begin(_ command: PurchaseCommand) throws -> PurchaseCommand.Outcome {
        while true {
            do {
                let (next, decided) = try state.deciding({ state in try state.begin(command) }, with: &numbers)
                guard let outcome = decided.output as? PurchaseCommand.Outcome else {
                    throw StoreError(.internal, "a purchase without an outcome")
                }
                if !decided.keepsRows { write(outcome, fingerprint: command.purchase.fingerprint) }
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

    /// Writes what the state forgets with a decision, and reads again.
    private func write(_ outcome: PurchaseCommand.Outcome, fingerprint: String?) {
        unfinishedRows += state.boughtCount
        for (key, payment) in state.payments { paid[key.text] = payment }
        guard let stored = outcome.begun, let fingerprint else { return }
        let value = stored.transaction
        if value.transactionState == .purchased { unfinishedRows += 1 }
        let reply =
            stored.phase == .settled
            ? AddPaymentReply(status: PaymentRepository.endedStatus, transaction: value, isReplayed: true) : nil
        paid[value.payment.requestIdentifier] = StoredPayment(
            fingerprint: fingerprint, transactionID: stored.id, reply: reply)
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
                    columns: ["fingerprint", "id", "reply"],
                    values: [.text(fingerprint), .text(id), reply ?? .null])
            ]
        }
        if key.statement === TransactionRepository.unfinishedCount(of: customer, limit: 0).key.statement,
            case .integer(let limit) = key.values.last
        {
            let count = min(Int64(unfinished), limit)
            return [SQLRow(columns: ["unfinished"], values: [.integer(count)])]
        }
        // The customer has no subscriptions, and owns nothing.
        return []
    }
}

extension PurchaseCommand.Outcome {
    /// The purchase that the commit has written.
    var begun: StoredTransaction? { if case .begun(let stored, _) = self { stored } else { nil } }

    /// The purchase that the commit has begun and ended.
    var stored: StoredTransaction? { begun.flatMap { $0.phase == .settled ? $0 : nil } }

    /// Whether the commit has begun a purchase that goes on.
    var isInProgress: Bool { begun != nil && stored == nil }

    var existing: StoredPayment? { if case .existing(let payment) = self { payment } else { nil } }

    /// The customer's storefront, if it is another one than the quote's.
    var storefront: String? { if case .moved(let storefront) = self { storefront } else { nil } }
}
