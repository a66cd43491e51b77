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
        let id = oldest.id
        _ = try await commits.commit(
            customer,
            asking: [
                TransactionRepository.find(id, of: customer).key,
                PromptRepository.find(about: id, .redelivery, customer).key,
            ]
        ) { state in try state.askToSignIn(about: id) }
    }

    /// Reads higher prices that wait for consent. Every launch asks about them.
    /// - Returns: Nil with later pages, and when no price waits for consent.
    func priceConsents(_ request: SnapshotRequest) async throws -> [PriceConsentQuestion]? {
        guard request.countsDelivery, request.after == nil else { return nil }
        let customer = request.customer
        let questions = try await database.read { reader in
            try await reader.read(SubscriptionRepository.all(of: customer)).compactMap(PriceConsentQuestion.init)
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

extension CustomerState {
    fileprivate mutating func askToSignIn(about id: String) throws {
        guard let stored = try transaction(id), !stored.isFinished else { return }
        let times = try (read(TransactionRepository.signInCount(id, of: customer)) ?? 0) + 1
        let open = try read(PromptRepository.find(about: id, .redelivery, customer))
        write(TransactionRepository.countSignIn(id, of: customer))
        guard let open else { return try prompt([.signIn], .redelivery, about: stored, times: times) }
        write(PromptRepository.setTimes(times, of: open.id, customer))
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
