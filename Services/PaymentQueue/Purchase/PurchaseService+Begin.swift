import BusService
import EventLoop
import Persistence
import StoreModels

extension PurchaseService {
    /// Adds a payment, or joins the one its key has added.
    /// - Parameter deadline: When the caller stops listening.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `notFound` for an unknown customer, `keyReused`,
    ///   `rateLimited` when too many payments of the customer wait for an answer, `intentDecided`; also `notFound` when
    ///   an operator clears the purchase away before it has ended, `intentDecided` if it is a promoted one;
    ///   `serviceUnavailable` and `deadlineExceeded` as long as nothing is committed.
    func add(_ request: AddPaymentRequest, deadline: ContinuousClock.Instant) async throws -> AddPaymentReply {
        try PaymentValidation.check(request.payment)
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        guard places.take(request.customer) else {
            throw StoreError(
                .rateLimited, "\(WaitingPlaces.perCustomer) payments of this customer wait for an answer already",
                retryAfterMs: 500)
        }
        defer { places.giveBack(request.customer) }
        let fingerprint = RequestFingerprint.of(request.payment, redeemed: request.redeemedOffer)
        var refusal: StoreError?
        if request.isRepeat != true {
            let atOnce = try await addAtOnce(request, fingerprint, deadline)
            if let reply = atOnce.reply { return reply }
            refusal = atOnce.refusal
        }
        guard let known = try await lookUp(key: request.payment.requestIdentifier, of: request.customer) else {
            throw StoreError(.notFound, "no such customer")
        }
        if let payment = known.payment { return try await join(payment, request, fingerprint, deadline) }
        guard request.isRepeat != true else { throw StoreError.promotedPurchaseCleared }
        if let refusal { throw refusal }
        var storefront = known.customer.storefront
        while true {
            storefronts.insert(storefront, for: request.customer)
            let quote = try await quotes.quote(request.quote(in: storefront), until: deadline)
            switch try await begin(request, quote, in: storefront, fingerprint) {
            case .existing(let payment): return try await join(payment, request, fingerprint, deadline)
            case .started(let written): return try await conclude(written, request, deadline)
            // An operator has just moved the customer.
            case .moved(let next): storefront = next
            }
        }
    }

    /// Most purchases come from a customer who was here before: then nothing is looked up before the first commit,
    /// which looks at everything again anyhow.
    /// - Returns: Nil when something has to be looked up, and nothing is written; with what Catalog refused, if it did,
    ///   because a key that was here before has its answer without a price.
    private func addAtOnce(
        _ request: AddPaymentRequest, _ fingerprint: String, _ deadline: ContinuousClock.Instant
    ) async throws -> (reply: AddPaymentReply?, refusal: StoreError?) {
        guard let storefront = storefronts.last(request.customer) else { return (nil, nil) }
        let quote: Quote
        do {
            quote = try await quotes.quote(request.quote(in: storefront), until: deadline)
        } catch {
            return (nil, error)
        }
        switch try await begin(request, quote, in: storefront, fingerprint) {
        case .existing(let payment): return (try await join(payment, request, fingerprint, deadline), nil)
        case .started(let written): return (try await conclude(written, request, deadline), nil)
        case .moved: return (nil, nil)
        }
    }

    private func conclude(
        _ written: Written, _ request: AddPaymentRequest, _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        try checkpoint(.afterFirstCommit)
        try finish(written)
        guard !written.stored.isWithPerson else { return try reply(written.stored.transaction) }
        return try await outcome(of: written.stored.id, fresh: written.stored, request, deadline)
    }

    /// The same key again: the stored answer, or the purchase in flight, whose end it waits for like the first one.
    private func join(
        _ payment: StoredPayment, _ request: AddPaymentRequest, _ fingerprint: String,
        _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        guard payment.fingerprint == fingerprint else {
            throw StoreError(.keyReused, "this idempotency key was used for another payment")
        }
        if let answer = payment.answer { return answer }
        return try await outcome(of: payment.transactionID, request, deadline)
    }

    /// Works on the purchase until it is at rest, with a person, or the reply has to go.
    private func outcome(
        of id: String, fresh: StoredTransaction? = nil, _ request: AddPaymentRequest,
        _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        guard let stored = try await outcome(of: id, fresh: fresh, until: deadline - Self.replyMargin) else {
            guard request.payment.intentIdentifier == nil else { throw StoreError.promotedPurchaseCleared }
            throw StoreError(.notFound, "the purchase was removed with what the customer has bought before")
        }
        return try reply(stored.transaction)
    }

    /// 201 once terminal, 202 while purchasing or deferred.
    private func reply(_ value: PaymentTransaction) throws -> AddPaymentReply {
        try checkpoint(.beforeReply)
        return AddPaymentReply(
            status: value.transactionState.isTerminal ? 201 : 202, transaction: value, isReplayed: false)
    }

    // MARK: First commit

    /// The result of the first commit.
    private enum Begun: Sendable {
        case started(Written)
        /// The key was here before.
        case existing(StoredPayment)
        /// The customer shops in another storefront than the quote is for; nothing is written.
        case moved(to: String)
    }

    /// What the first commit has found under its key.
    private enum Found: Sendable {
        case payment(StoredPayment)
        case storefront(String)
        /// So it has begun this.
        case nothing(StoredTransaction)
    }

    /// Reads the customer, and what the key was used for already, in one snapshot.
    private func lookUp(
        key: String, of customer: CustomerReference
    ) async throws -> (customer: Customer, payment: StoredPayment?)? {
        try await database.read { reader in
            guard let found = try await CustomerRepository.find(customer, in: reader) else { return nil }
            return (found, try await PaymentRepository.find(key: key, of: customer, in: reader))
        }
    }

    /// The first commit: payment, transaction, claims and journal, and the intent it comes of is used. A purchase
    /// StoreKit reports as failed ends in it.
    /// - Parameter storefront: The one the quote is for.
    /// - Throws: `intentDecided` when the promoted purchase has had its payment (I3), or is to have none; nothing is
    ///   written.
    private func begin(
        _ request: AddPaymentRequest, _ quote: Quote, in storefront: String, _ fingerprint: String
    ) async throws -> Begun {
        try checkpoint(.beforeFirstCommit)
        let customer = request.customer
        var random = SystemRandomNumberGenerator()
        let purchase = NewPurchase(
            id: Identifiers.transaction(wall: clock.wall(), random: &random), payment: request.payment,
            deviceId: request.deviceId, quote: quote,
            request: OfferRequest(discountCheck: request.discountCheck, redeemed: request.redeemedOffer),
            fingerprint: fingerprint)
        return try await database.write { transaction in
            let committed = try await CustomerTransaction.run(
                customer, in: transaction, clock: clock, checkpoint: checkpoint
            ) { commit in
                let key = purchase.payment.requestIdentifier
                if let payment = try await PaymentRepository.find(key: key, of: customer, in: transaction) {
                    return Found.payment(payment)
                }
                guard commit.account.storefront == storefront else { return .storefront(commit.account.storefront) }
                if let intent = purchase.payment.intentIdentifier {
                    try await Self.use(intent, of: customer.bundleId, in: transaction)
                }
                let plan = try await commit.plan(purchase.payment, purchase.request, quote: quote)
                return .nothing(try await commit.begin(purchase, plan))
            }
            switch committed.output {
            case .payment(let payment): return .existing(payment)
            case .storefront(let storefront): return .moved(to: storefront)
            case .nothing(let stored):
                try checkpoint(.insideFirstCommit)
                return .started(Written(committed.with(stored)))
            }
        }
    }

    private static func use(
        _ intent: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws {
        guard try await !UsedIntentRepository.use(intent, of: bundleId, in: transaction) else { return }
        throw try await PaymentRepository.exists(intent: intent, bundleId: bundleId, in: transaction)
            ? StoreError(
                .intentDecided, "this promoted purchase was continued by another payment; nothing was charged")
            : StoreError.promotedPurchaseCleared
    }
}

/// Payments that wait for an answer, counted by customer: the endpoint's places and the database's connections are
/// shared, and one customer gets no more than a part of them, however many commits or charges are in the way.
final class WaitingPlaces: Sendable {
    /// An eighth of ``BusServiceLimits/bulkhead``.
    static let perCustomer = BusServiceLimits.bulkhead / 8

    private let taken = Locked<[CustomerReference: Int]>([:])

    /// - Returns: False when the customer's places are taken.
    func take(_ customer: CustomerReference) -> Bool {
        taken.withLock { taken in
            guard taken[customer, default: 0] < Self.perCustomer else { return false }
            taken[customer, default: 0] += 1
            return true
        }
    }

    func giveBack(_ customer: CustomerReference) {
        taken.withLock { taken in
            let left = taken[customer, default: 1] - 1
            taken[customer] = left == 0 ? nil : left
        }
    }
}

extension AddPaymentRequest {
    /// A quote for a test is another question than an ordinary one, so the cache never takes one for the other.
    fileprivate func quote(in storefront: String) -> QuoteRequest {
        QuoteRequest(
            bundleId: bundleId, productIdentifier: payment.productIdentifier, storefront: storefront,
            isTest: isTest == true ? true : nil)
    }
}
