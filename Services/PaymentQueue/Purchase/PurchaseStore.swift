import Persistence
import StoreModels

/// The commits of a purchase. Each is one function; between them the process may die.
package struct PurchaseStore: Sendable {
    /// What a commit left behind.
    package struct Written: Sendable {
        package var stored: StoredTransaction
        /// To be published, now that they are committed.
        package var changes: [CustomerChange]
        /// Purchases that waited for this one.
        package var woken: [String]
    }

    package enum Begun: Sendable {
        case started(Written)
        /// The key was here before.
        case existing(StoredPayment)
    }

    let database: any SQLDatabase
    let clock: BusinessClock
    let checkpoint: CheckpointHook

    package init(database: any SQLDatabase, clock: BusinessClock, checkpoint: @escaping CheckpointHook = { _ in }) {
        self.database = database
        self.clock = clock
        self.checkpoint = checkpoint
    }

    /// Who pays, and what the key stands for already; one snapshot.
    package func lookUp(
        key: String, of customer: CustomerID
    ) async throws -> (customer: Customer, payment: StoredPayment?)? {
        try await database.read { reader in
            guard let found = try await CustomerRepository.find(customer, in: reader) else { return nil }
            return (found, try await PaymentRepository.find(key: key, of: customer, in: reader))
        }
    }

    /// A transaction as its payment is answered: once it has ended, as the terminal commit left it, however often it
    /// was delivered since, so that all answers to one key are the same.
    package func find(_ id: String) async throws -> StoredTransaction? {
        try await database.read { reader in
            guard var stored = try await TransactionRepository.find(id, in: reader) else { return nil }
            if let answer = try await PaymentRepository.answer(of: id, in: reader) { stored.transaction = answer.transaction }
            return stored
        }
    }

    /// The first commit: payment, transaction, claims and journal. A purchase StoreKit reports as failed ends in it.
    package func begin(
        _ request: AddPaymentRequest, quote: Quote, fingerprint: String
    ) async throws -> Begun {
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: clock.wall(), random: &random)
        return try await database.write { transaction in
            let customer = CustomerID(
                bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
            if let existing = try await PaymentRepository.find(
                key: request.payment.requestIdentifier, of: customer, in: transaction)
            {
                return .existing(existing)
            }
            guard let account = try await CustomerRepository.find(customer, in: transaction) else {
                throw StoreError(.notFound, "no such customer")
            }
            var commit = try await PurchaseCommit(transaction, customer: customer, clock: clock)
            let plan = try await Self.plan(request.payment, of: account, quote: quote, in: commit)
            var stored = try await Self.insert(plan, id: id, request: request, quote: quote, in: &commit)
            try await PaymentRepository.insert(
                request.payment, fingerprint: fingerprint, transactionID: id, of: customer, wall: commit.wall,
                in: transaction)
            if case .fail(let error) = plan.decision { stored = try await commit.apply(.fail(error), to: stored) }
            try checkpoint(.insideFirstCommit)
            return .started(Written(stored: stored, changes: commit.changes, woken: commit.woken))
        }
    }

    /// - Parameter id: the purchase itself, when it waits already.
    private static func plan(
        _ payment: Payment, of account: Customer, quote: Quote, except id: String? = nil, in commit: PurchaseCommit
    ) async throws -> PurchasePlan {
        let tester = try await TesterRepository.effective(
            account.account, defaults: quote.testerDefaults, in: commit.transaction)
        let facts = try await EntitlementRepository.facts(
            of: account, tester: tester, product: quote.product, unfinishedLimit: quote.unfinishedLimit, except: id,
            in: commit.transaction)
        return PurchasePlan(payment: payment, quote: quote, facts: facts, tester: tester, now: commit.now)
    }

    private static func insert(
        _ plan: PurchasePlan, id: String, request: AddPaymentRequest, quote: Quote,
        in commit: inout PurchaseCommit
    ) async throws -> StoredTransaction {
        func machine(_ terms: PurchaseTerms?) -> TransactionStateMachine {
            .purchasing(
                id: id, payment: request.payment, deviceId: request.deviceId, price: terms?.amount, offer: terms?.offer)
        }
        switch plan.decision {
        case .sell(let terms, let offerGroup):
            let stored = try await commit.insert(
                machine(terms), phase: terms.isFree ? .granting : .charging, awaitsAnswer: !plan.asks.isEmpty,
                terms: terms, quote: nil)
            try await commit.reserve(terms, offerGroup: offerGroup, for: stored)
            return try await commit.ask(plan.asks, about: stored)
        case .wait: return try await commit.insert(machine(nil), phase: .waiting, terms: nil, quote: quote)
        case .fail: return try await commit.insert(machine(nil), phase: .charging, terms: nil, quote: nil)
        }
    }

    /// Plans a purchase again that waited for another one of the same product.
    /// - Returns: nil when there is no such purchase any more.
    package func replan(_ id: String) async throws -> Written? {
        try await inCommit(on: id) { commit, stored in
            guard stored.phase == .waiting, let quote = stored.quote,
                let account = try await CustomerRepository.find(stored.customer, in: commit.transaction)
            else { return stored }
            let plan = try await Self.plan(
                stored.transaction.payment, of: account, quote: quote, except: id, in: commit)
            switch plan.decision {
            case .wait: return stored
            case .fail(let error): return try await commit.apply(.fail(error), to: stored)
            case .sell(let terms, let offerGroup):
                var next = stored
                (next.terms, next.quote, next.phase) = (terms, nil, terms.isFree ? .granting : .charging)
                (next.transaction.price, next.transaction.offer) = (terms.amount, terms.offer)
                next.awaitsAnswer = !plan.asks.isEmpty
                guard try await TransactionRepository.advance(next, from: .purchasing, in: commit.transaction) else {
                    return stored
                }
                try await commit.reserve(terms, offerGroup: offerGroup, for: next)
                return try await commit.ask(plan.asks, about: next)
            }
        }
    }

    /// The outcome commit: what the processor said, written once. Whoever comes second gets what the first one wrote.
    /// - Returns: nil when there is no such purchase any more.
    package func settle(_ id: String, _ answer: ChargeAnswer) async throws -> Written? {
        try await inCommit(on: id) { commit, stored in
            let settled =
                switch answer {
                case .approved: try await commit.apply(try await commit.purchase(of: stored), to: stored)
                case .failed(let error): try await commit.apply(.fail(error), to: stored)
                case .mismatch: try await Self.quarantine(stored, in: commit.transaction)
                case .undecided: stored
                }
            try checkpoint(.insideOutcomeCommit)
            return settled
        }
    }

    private static func quarantine(_ stored: StoredTransaction, in transaction: SQLTransaction) async throws
        -> StoredTransaction
    {
        var next = stored
        next.phase = .quarantined
        let state = stored.transaction.transactionState
        return try await TransactionRepository.advance(next, from: state, in: transaction) ? next : stored
    }

    /// Runs `body` on the stored transaction while it is under way; on any other it returns what is there.
    private func inCommit(
        on id: String,
        _ body: @escaping @Sendable (inout PurchaseCommit, StoredTransaction) async throws -> StoredTransaction
    ) async throws -> Written? {
        try await database.write { transaction in
            guard let stored = try await TransactionRepository.find(id, in: transaction) else { return nil }
            guard !stored.isAtRest else {
                return Written(stored: stored, changes: [], woken: [])
            }
            var commit = try await PurchaseCommit(transaction, customer: stored.customer, clock: clock)
            let result = try await body(&commit, stored)
            return Written(stored: result, changes: commit.changes, woken: commit.woken)
        }
    }
}

extension PurchaseStore {
    /// Identifiers of purchases that somebody has to take to their end, behind `after`.
    package func unsettled(after: String, limit: Int) async throws -> [String] {
        try await database.read { reader in
            try await TransactionRepository.unsettled(after: after, limit: limit, in: reader)
        }
    }
}
