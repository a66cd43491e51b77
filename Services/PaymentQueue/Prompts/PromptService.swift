import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `prompt.list`, `prompt.answer` and `transaction.continue`: open prompts and their answers.
struct PromptService: QueuePart {
    /// Maximum number of prompts in one page.
    static let pageMax = 100
    /// How long an app may take to answer a storefront change, in wall time.
    static let appAnswerTime: Duration = .seconds(10)
    /// Time between two sweeps for unanswered prompts.
    static let interval: Duration = .seconds(1)

    let context: QueueContext
    let purchases: PurchaseService

    /// Lists open prompts.
    /// - Throws: `requestInvalid`.
    func list(_ request: PromptsRequest) async throws -> PromptsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let rows = try await prompts(request, limit: request.limit + 1)
        let page = try ReplyBudget.fitting(Array(rows.prefix(request.limit)))
        return PromptsPage(prompts: page, after: page.count == rows.count ? nil : page.last?.id)
    }

    /// Answers a prompt. The first answer counts.
    ///
    /// After `approve` the purchase continues as it would have without the prompt. The reply waits for its end as a
    /// payment's does.
    /// - Throws: `notFound` for a prompt that was answered, or never existed, `requestInvalid`, or
    ///   `serviceUnavailable`.
    func answer(_ request: AnswerPromptRequest, deadline: ContinuousClock.Instant) async throws -> Prompt {
        try Self.check(request.error, isDecline: request.answer == .decline)
        let last = deadline - PurchaseService.replyMargin
        let answered = try await withStorefront(until: last) { try await commit(request, in: $0, until: deadline) }
        try checkpoint(.afterAnswerCommit)
        let answer = answered.output
        let stored = try purchases.finish(answered.with(answer.stored))
        let outcome =
            stored.isAtRest ? stored : try await purchases.outcome(of: stored.id, fresh: stored, until: last)
        return answer.prompt.prompt(about: (outcome ?? stored).transaction, answer.increase)
    }

    /// Takes the app's answer to a storefront change. The prompt may be answered by then.
    /// - Throws: `notFound`, also for a purchase of another device.
    func continuePurchase(
        _ request: ContinueTransactionRequest, deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        let (stored, prompt) = try await question(about: request.transaction)
        guard let prompt else { return stored.transaction }
        do {
            let answer = AnswerPromptRequest(prompt.named, answer: request.shouldContinue ? .approve : .decline)
            return try await self.answer(answer, deadline: deadline).transaction ?? stored.transaction
        } catch let error as StoreError where error.code == .notFound {
            return try await question(about: request.transaction).stored.transaction
        }
    }

    /// Sweeps when an app's time to answer is over, and finds the next such time.
    func round() async throws -> BackgroundJob.Rest {
        guard let oldest = try await questions(olderThan: .zero, limit: 1).first else { return .untilCommit() }
        let left = (oldest.createdAt + Self.appAnswerTime).milliseconds - clock.wall().milliseconds
        guard left <= 0 else { return .untilCommit(or: .now + .milliseconds(left)) }
        try await sweep()
        return .interval
    }

    /// Continues purchases whose app has not answered a storefront change in time.
    /// - Returns: The number of such purchases.
    @discardableResult
    func sweep(until deadline: ContinuousClock.Instant = .now + .seconds(5)) async throws -> Int {
        let overdue = try await questions(olderThan: Self.appAnswerTime, limit: Self.pageMax)
        for prompt in overdue {
            do {
                _ = try await answer(AnswerPromptRequest(prompt.named, answer: .approve), deadline: deadline)
            } catch let error as StoreError where error.code == .notFound {
                // The app's answer came meanwhile, or another replica was first.
            }
        }
        return overdue.count
    }

    /// Checks that only a refusal comes with an error.
    /// - Throws: `requestInvalid`.
    static func check(_ error: SKErrorCode?, isDecline: Bool) throws(StoreError) {
        guard error == nil || isDecline else {
            throw StoreError.requestInvalid("error", "only 'decline' comes with an error")
        }
    }

    /// Runs a commit, and once more with the shopper's new storefront if it needs that, which Catalog has.
    /// - Throws: The error of `body`, or `serviceUnavailable` when Catalog does not reply.
    func withStorefront<Output: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: @Sendable (Storefront?) async throws -> Output
    ) async throws -> Output {
        do {
            return try await body(nil)
        } catch let moved as StorefrontMoved {
            let all: [Storefront]
            do {
                all = try await collaborators.storefronts(deadline)
            } catch {
                throw StoreError(
                    .serviceUnavailable,
                    "the catalogue, which knows the shopper's new storefront, is away; nothing was changed",
                    retryAfterMs: error.retryAfterMs)
            }
            // Catalog had it when the shopper moved. For a storefront it has lost since, the identifier is empty.
            return try await body(
                all.first { $0.countryCode == moved.countryCode }
                    ?? Storefront(countryCode: moved.countryCode, identifier: ""))
        }
    }

    // MARK: Commits and queries

    /// The result of an answer.
    private struct Answered: Sendable {
        var prompt: StoredPrompt
        /// The transaction after it.
        var stored: StoredTransaction
        /// The price increase the prompt is about, or nil for other prompts.
        var increase: PriceIncrease?
    }

    /// Commits an answer: it deletes the prompt and continues the purchase.
    ///
    /// The row's deletion decides, so exactly one answer counts.
    /// - Parameter storefront: As for ``CustomerState/take(_:error:to:about:in:)``.
    /// - Throws: `notFound` for a prompt that was answered, or `requestInvalid` for an answer this prompt does not
    ///   have.
    private func commit(
        _ request: AnswerPromptRequest, in storefront: Storefront?, until deadline: ContinuousClock.Instant
    ) async throws -> CustomerCommits.Committed<Answered> {
        let found = try await database.read { reader in try await PromptRepository.find(request.prompt, in: reader) }
        guard let found else { throw Self.answered }
        let answers = found.answers
        guard answers.contains(request.answer) else {
            let names = answers.map(\.rawValue).joined(separator: " or ")
            throw StoreError.requestInvalid(
                "answer", "a prompt of kind \(found.kind.rawValue) is answered with \(names)")
        }
        let customer = found.customer
        return try await commits.commit(
            customer,
            asking: [
                PromptRepository.find(found.id, customer).key,
                TransactionRepository.find(found.transactionID, of: customer).key,
            ], reaching: .insideAnswerCommit, until: deadline
        ) { state -> Answered in
            guard let prompt = try state.read(PromptRepository.find(found.id, customer)),
                let stored = try state.transaction(prompt.transactionID)
            else { throw Self.answered }
            let next = try state.take(request.answer, error: request.error, to: prompt, about: stored, in: storefront)
            let increase =
                prompt.purpose == .priceConsent ? try state.subscription(paidBy: stored)?.priceIncrease : nil
            return Answered(prompt: prompt, stored: next, increase: increase)
        }
    }

    private static let answered = StoreError(.notFound, "no such prompt; it may have been answered")

    /// Reads a device's purchase and its storefront prompt.
    /// - Throws: `notFound`.
    private func question(
        about request: TransactionRequest
    ) async throws -> (stored: StoredTransaction, prompt: StoredPrompt?) {
        let customer = request.customer
        return try await database.read { reader in
            guard
                let stored = try await reader.read(TransactionRepository.find(identifier: request.id, of: customer)),
                stored.transaction.originDeviceId.isExactly(request.deviceId)
            else { throw StoreError.unknownTransaction }
            let prompt = try await reader.read(PromptRepository.find(about: stored.id, .purchase, customer))
            return (stored, prompt?.kind == .storefrontChange ? prompt : nil)
        }
    }

    /// Reads the storefront prompts that apps have not answered for `age` or longer.
    private func questions(olderThan age: Duration, limit: Int) async throws -> [StoredPrompt] {
        let wall = clock.wall()
        return try await database.read { reader in
            try await PromptRepository.list(
                .storefrontChange, askedBy: Timestamp(milliseconds: wall.milliseconds - age.components.seconds * 1000),
                limit: limit, in: reader)
        }
    }

    /// Reads open prompts, oldest first, each with its transaction as it is now.
    private func prompts(_ request: PromptsRequest, limit: Int) async throws -> [Prompt] {
        try await database.read { reader in
            var prompts: [Prompt] = []
            for prompt in try await PromptRepository.list(request, limit: limit, in: reader) {
                let stored = try await reader.read(
                    TransactionRepository.find(prompt.transactionID, of: prompt.customer))
                prompts.append(
                    prompt.prompt(about: stored?.transaction, try await Self.increase(prompt, in: reader)))
            }
            return prompts
        }
    }

    private static func increase(_ prompt: StoredPrompt, in reader: SQLReader) async throws -> PriceIncrease? {
        guard prompt.purpose == .priceConsent else { return nil }
        return try await SubscriptionRepository.find(paidBy: prompt.transactionID, in: reader)?.priceIncrease
    }
}
