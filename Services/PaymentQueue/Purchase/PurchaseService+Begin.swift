import BusService
import Cryptography
import EventLoop
import Persistence
import PlantedBugs
import StoreModels

extension PurchaseService {
    /// Adds a payment, or joins the one its key has added.
    /// - Parameter deadline: The caller's deadline.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `notFound` for an unknown customer, `keyReused`,
    ///   `rateLimited` when too many payments of the customer wait for a reply, `intentDecided`, or the refusal of a
    ///   code. When an operator clears the purchase away before it has ended, `notFound`, or `intentDecided` for a
    ///   promoted one. As long as no commit was made, `serviceUnavailable` and `deadlineExceeded`.
    func add(_ request: AddPaymentRequest, deadline: ContinuousClock.Instant) async throws -> AddPaymentReply {
        var request = request
        request.payment = request.payment.withAccountToken
        try PaymentValidation.check(request.payment)
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        guard limiter.acquire(request.customer) else {
            throw StoreError(
                .rateLimited, "\(PaymentLimiter.perCustomer) payments of this customer wait for an answer already",
                retryAfterMs: 500)
        }
        defer { limiter.release(request.customer) }
        let fingerprint = RequestFingerprint.of(
            request.payment, redeemed: request.redeemedOffer, introductory: request.introductoryDecision,
            past: request.past, code: request.redeemedCode)
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
        var hint = CustomerHint(storefront: known.customer.storefront)
        while true {
            let quote = try await quotes.quote(request.quote(in: hint.storefront), until: deadline)
            let begun = try await begin(request, quote, fingerprint, hint, authorizes: false, deadline)
            switch begun {
            case .replied(let reply): return reply
            // An operator has just moved the customer.
            case .moved(let next): hint.storefront = next
            }
        }
    }

    /// Adds a payment without a read before the first commit, if the customer is cached.
    ///
    /// Most purchases are of this kind. The first commit checks everything again.
    /// - Returns: A nil reply when a lookup has to come first. Then nothing is written. The refusal is Catalog's, if it
    ///   refused, because a key that was used before has its reply without a price.
    private func addAtOnce(
        _ request: AddPaymentRequest, _ fingerprint: String, _ deadline: ContinuousClock.Instant
    ) async throws -> (reply: AddPaymentReply?, refusal: StoreError?) {
        let isFirst = recentKeys.insert(request.payment.requestIdentifier, of: request.customer)
        guard let hint = customerHints.last(request.customer) else { return (nil, nil) }
        let quote: Quote
        do {
            quote = try await quotes.quote(request.quote(in: hint.storefront), until: deadline)
        } catch {
            return (nil, error)
        }
        let begun = try await begin(
            request, quote, fingerprint, hint, authorizes: hint.buysPlainly && isFirst, deadline)
        guard case .replied(let reply) = begun else { return (nil, nil) }
        return (reply, nil)
    }

    /// The result of an attempt to begin.
    private enum Begun {
        /// The key has a purchase, and this is the reply about it.
        case replied(AddPaymentReply)
        /// The customer's storefront is not the quote's. Nothing is written.
        case moved(to: String)
    }

    /// Makes the first commit, takes the purchase on from there, and replies.
    /// - Parameter hint: What is known about the customer. The quote is for its storefront.
    private func begin(
        _ request: AddPaymentRequest, _ quote: Quote, _ fingerprint: String, _ hint: CustomerHint, authorizes: Bool,
        _ deadline: ContinuousClock.Instant
    ) async throws -> Begun {
        let customer = request.customer
        if PlantedBug.isActive(.checkThenInsert),
            let known = try await lookUp(key: request.payment.requestIdentifier, of: customer)?.payment
        {
            return .replied(try await join(known, request, fingerprint, deadline))
        }
        let amount = PurchaseAuthorization.amount(
            of: request, quote, hasSubscribed: hint.hasSubscribed(toGroupOf: quote))
        let begun = try await newPurchases.begin(
            request, quote, in: hint.storefront, fingerprint,
            authorizing: authorizes || amount?.minorUnits == 0 ? amount : nil, until: deadline)
        switch begun.output {
        case .existing(let payment): return .replied(try await join(payment, request, fingerprint, deadline))
        case .moved(let storefront):
            customerHints.insert(hint.moved(to: storefront), for: customer)
            return .moved(to: storefront)
        case .begun(let stored, let isPlain):
            customerHints.insert(hint.after(stored, isPlain: isPlain), for: customer)
            return .replied(try await conclude(begun.with(stored), request, deadline))
        }
    }

    private func conclude(
        _ written: Written, _ request: AddPaymentRequest, _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        try finish(written)
        let stored = written.output
        let bought =
            stored.isWithPerson
            ? try reply(stored.transaction)
            : try await outcome(of: stored.id, fresh: stored, request, deadline)
        if request.past != nil, let group = stored.subscriptionKey {
            try await renewals.catchUp(request.customer, group: group, until: deadline - Self.replyMargin)
        }
        return bought
    }

    /// Repeats a key: returns the stored reply, or waits for the purchase in flight to end.
    private func join(
        _ payment: StoredPayment, _ request: AddPaymentRequest, _ fingerprint: String,
        _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        guard payment.fingerprint == fingerprint else {
            throw StoreError(.keyReused, "this idempotency key was used for another payment")
        }
        if let reply = payment.reply { return reply }
        return try await outcome(of: payment.transactionID, request, deadline)
    }

    /// Works on the purchase until it rests, waits for a person or the deadline nears.
    private func outcome(
        of id: String, fresh: StoredTransaction? = nil, _ request: AddPaymentRequest,
        _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        guard let stored = try await outcome(of: id, fresh: fresh, until: deadline - Self.replyMargin) else {
            guard request.payment.intentIdentifier == nil else { throw StoreError.promotedPurchaseCleared }
            throw StoreError(.notFound, "the purchase was deleted with the customer's earlier purchases")
        }
        return try reply(stored.transaction)
    }

    /// Replies 201 once terminal, 202 while purchasing or deferred.
    private func reply(_ value: PaymentTransaction) throws -> AddPaymentReply {
        try checkpoint(.beforeReply)
        return AddPaymentReply(
            status: value.transactionState.isTerminal ? PaymentRepository.endedStatus : 202, transaction: value,
            isReplayed: false)
    }

    /// Reads the customer and the key's payment in one snapshot.
    private func lookUp(
        key: String, of customer: CustomerReference
    ) async throws -> (customer: Customer, payment: StoredPayment?)? {
        try await database.read { reader in
            guard let found = try await CustomerRepository.find(customer, in: reader) else { return nil }
            return (found, try await reader.read(PaymentRepository.find(key: key, of: customer)))
        }
    }
}

/// Limits the payments of one customer that wait for a reply.
///
/// Requests share the endpoint's places and the database's connections. One customer gets at most a part of them,
/// however many commits or charges are in progress.
final class PaymentLimiter: Sendable {
    /// Maximum number of a customer's waiting payments: an eighth of ``BusServiceLimits/bulkhead``.
    static let perCustomer = BusServiceLimits.bulkhead / 8

    /// The number of waiting payments of each customer that has any.
    private let taken = Locked<[CustomerReference: Int]>([:])

    /// Takes a place.
    /// - Returns: False when the customer's places are taken.
    func acquire(_ customer: CustomerReference) -> Bool {
        taken.withLock { taken in
            guard taken[customer, default: 0] < Self.perCustomer else { return false }
            taken[customer, default: 0] += 1
            return true
        }
    }

    func release(_ customer: CustomerReference) {
        taken.withLock { taken in
            let left = taken[customer, default: 1] - 1
            taken[customer] = left == 0 ? nil : left
        }
    }
}

/// Remembers the idempotency keys that this process has seen last.
///
/// A repeated request is not authorized again, because it mostly finds its purchase. This is only a courtesy to the
/// customer, because unused authorizations are voided.
final class RecentKeys: Sendable {
    /// Maximum number of keys in each of the two generations.
    static let generationMax = 8_192

    private struct Key: Hashable {
        let customer: CustomerReference
        @ExactText var key: String
    }

    private struct Generations {
        var current: Set<Key> = []
        var previous: Set<Key> = []
    }

    private let generations = Locked(Generations())

    /// Adds a key.
    /// - Returns: False when it was among the last ones.
    func insert(_ key: String, of customer: CustomerReference) -> Bool {
        let key = Key(customer: customer, key: key)
        return generations.withLock { generations in
            guard !generations.previous.contains(key), generations.current.insert(key).inserted else { return false }
            if generations.current.count == Self.generationMax {
                generations = Generations(previous: generations.current)
            }
            return true
        }
    }
}

extension AddPaymentRequest {
    /// Makes the request for a quote. Test and ordinary quotes differ, so the cache keeps them apart.
    fileprivate func quote(in storefront: String) -> QuoteRequest {
        QuoteRequest(
            bundleId: bundleId, productIdentifier: payment.productIdentifier, storefront: storefront,
            isTest: isTest == true ? true : nil)
    }
}

/// Computes a fingerprint that shows whether a repeated idempotency key has the same request.
///
/// It is SHA-256 over the decoded fields in a fixed order, each after its length. So JSON spelling and member order do
/// not matter, and different payments never have the same input. The device does not matter either: a key is the
/// customer's.
enum RequestFingerprint {
    /// Returns 64 hexadecimal digits.
    /// - Parameters:
    ///   - redeemed: An offer that is redeemed with the payment. The gateway's check of its signature is left out,
    ///     because it follows from the payment.
    ///   - introductory: The app's decision about the introductory offer. Its text counts, and the gateway's check of
    ///     it is left out, because a repeated text may be too old.
    ///   - past: The past instant and price, for a purchase that is dated back.
    ///   - code: The code that is redeemed.
    static func of(
        _ payment: Payment, redeemed: RedeemedOffer? = nil, introductory: IntroductoryDecision? = nil,
        past: PastPurchase? = nil, code: RedeemedCode? = nil
    ) -> String {
        var hash = SHA256()
        for field in fields(of: payment) { add(field, to: &hash) }
        if let redeemed {
            add(redeemed.type.rawValue, to: &hash)
            add(redeemed.identifier, to: &hash)
        }
        if payment.returnsOutcome == true { add("outcome", to: &hash) }
        if let introductory { add(introductory.digest, to: &hash) }
        if let past {
            add(past.due.rawValue, to: &hash)
            add("\(past.at.milliseconds)", to: &hash)
            add(past.price.map { "\($0.minorUnits) \($0.currency.code)" }, to: &hash)
            add(past.willAutoRenew.map { "\($0)" }, to: &hash)
        }
        if let code { add(code.digest, to: &hash) }
        if let plan = payment.billingPlanType { add("plan \(plan.rawValue)", to: &hash) }
        return Hex.text(hash.finalize())
    }

    private static func fields(of payment: Payment) -> [String?] {
        [
            "queue.add/1", payment.productIdentifier, "\(payment.quantity)", payment.applicationUsername,
            payment.appAccountToken, payment.simulatesAskToBuyInSandbox ? "1" : "0", payment.intentIdentifier,
            payment.paymentDiscount?.identifier, payment.paymentDiscount?.keyIdentifier,
            payment.paymentDiscount?.nonce, payment.paymentDiscount?.signature,
            payment.paymentDiscount.map { "\($0.timestamp)" },
        ]
    }

    /// Adds a field. An absent field differs from an empty one.
    private static func add(_ field: String?, to hash: inout SHA256) {
        let length = field.map { UInt32($0.utf8.count) } ?? .max
        withUnsafeBytes(of: length.bigEndian) { hash.update(data: $0) }
        if let field { hash.update(data: field.utf8) }
    }
}
