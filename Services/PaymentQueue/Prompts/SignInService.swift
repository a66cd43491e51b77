import Persistence
import ServiceDatabase
import StoreModels

/// Asks testers to sign in again at launches and resumes with unfinished transactions (M51).
///
/// Apple's article says: "the App Store may repeatedly prompt users to authenticate their purchases". Only testers with
/// interactive sign-in are asked.
struct SignInService: QueuePart {
    let context: QueueContext

    /// Creates a prompt about the oldest purchase that a launch delivers to a customer.
    ///
    /// An open prompt counts up instead.
    func ask(about page: SnapshotOf<TransactionJSON>, _ request: SnapshotRequest) async throws {
        guard request.countsDelivery, request.after == nil else { return }
        let values = page.transactions.lazy.compactMap { transaction in
            if case .value(let value) = transaction { value } else { nil as PaymentTransaction? }
        }
        guard let oldest = values.first(where: { $0.transactionState.isDelivered }) else { return }
        let customer = request.customer
        guard try await isAsked(customer) else { return }
        try await database.write { transaction in
            _ = try await CustomerTransaction.run(customer, in: transaction, clock: clock) { commit in
                try await commit.askToSignIn(about: oldest.id)
            }
        }
    }

    /// Reads higher prices that wait for consent. Every launch asks about them.
    /// - Returns: Nil with later pages, and when no price waits for consent.
    func priceConsents(_ request: SnapshotRequest) async throws -> [PriceConsentQuestion]? {
        guard request.countsDelivery, request.after == nil else { return nil }
        let customer = request.customer
        let questions = try await database.read { reader in
            try await SubscriptionRepository.all(of: customer, in: reader).compactMap(PriceConsentQuestion.init)
        }
        return questions.isEmpty ? nil : questions
    }

    private func isAsked(_ customer: CustomerReference) async throws -> Bool {
        try await database.read { reader in
            guard let known = try await CustomerRepository.find(customer, in: reader) else { return false }
            return try await TesterRepository.effective(of: known, defaults: nil, in: reader).signIn == .interactive
        }
    }
}

extension CustomerTransaction {
    fileprivate func askToSignIn(about id: String) async throws {
        guard let stored = try await TransactionRepository.find(id, of: customer, in: transaction), !stored.isFinished
        else { return }
        let times = try await TransactionRepository.countSignIn(id, customer, in: transaction)
        let isOpen = try await PromptRepository.setTimes(times, about: id, .redelivery, customer, in: transaction)
        guard !isOpen else { return }
        try await PromptRepository.insert(
            [.signIn], .redelivery, about: stored, times: times, wall: wall, in: transaction)
    }
}

extension TransactionState {
    /// Whether it was purchased or restored, and so waits for its finish.
    fileprivate var isDelivered: Bool { self == .purchased || self == .restored }
}

extension PriceConsentQuestion {
    fileprivate init?(_ value: StoredSubscription) {
        guard let increase = value.priceIncrease, increase.status == .pending else { return nil }
        self.init(
            originalTransactionIdentifier: value.originalIdentifier, productIdentifier: value.product,
            price: increase.price, formerPrice: increase.formerPrice)
    }
}
