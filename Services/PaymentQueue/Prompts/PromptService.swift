import BusService
import StoreModels

/// `prompt.list`, `prompt.answer` and `transaction.continue`: what waits for a person or the app, and the answer.
struct PromptService: Sendable {
    static let pageMax = 100
    /// An app has so long to say whether a purchase goes on; wall time.
    static let appAnswerTime: Duration = .seconds(10)
    /// Between two looks for questions that were left unanswered.
    static let interval: Duration = .seconds(1)

    let store: PurchaseStore
    let driver: PurchaseDriver
    let storefronts: StorefrontLookup

    /// - Throws: `requestInvalid`.
    func list(_ request: PromptsRequest) async throws -> PromptsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let rows = try await store.prompts(
            account: request.account, after: request.after ?? "", limit: request.limit + 1)
        let page = try ReplyBudget.fitting(Array(rows.prefix(request.limit)))
        return PromptsPage(prompts: page, after: page.count == rows.count ? nil : page.last?.id)
    }

    /// The first answer counts. After `approve` the purchase goes on as it would have without the prompt; the reply
    /// waits for its end as a payment's does.
    /// - Throws: `notFound` for a prompt that was answered, or never was; `requestInvalid`; `serviceUnavailable`.
    func answer(_ request: AnswerPromptRequest, deadline: ContinuousClock.Instant) async throws -> Prompt {
        guard request.error == nil || request.answer == .decline else {
            throw StoreError(
                .requestInvalid, "only 'decline' comes with an error", details: ["path": .string("$.error")])
        }
        let last = deadline - PurchaseCoordinator.replyMargin
        let answered = try await storefronts.retrying(until: last) { try await store.answer(request, in: $0) }
        try driver.checkpoint(.afterAnswerCommit)
        let stored = try driver.finish(answered.written)
        let outcome =
            stored.isAtRest ? stored : try await driver.outcome(of: stored.id, fresh: stored, until: last)
        return answered.prompt.prompt(about: (outcome ?? stored).transaction, answered.increase)
    }

    /// The app's answer; what the shopper was asked about may be decided by then.
    /// - Throws: `notFound`, also for a purchase of another device.
    func goOn(
        _ request: ContinueTransactionRequest, deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        let (stored, prompt) = try await store.question(about: request.transaction)
        guard let prompt else { return stored.transaction }
        do {
            let answer = AnswerPromptRequest(id: prompt.id, answer: request.shouldContinue ? .approve : .decline)
            return try await self.answer(answer, deadline: deadline).transaction ?? stored.transaction
        } catch let error as StoreError where error.code == .notFound {
            return try await store.question(about: request.transaction).stored.transaction
        }
    }

    /// Continues purchases whose storefront question the app has not answered in time.
    /// - Returns: The number of such purchases.
    @discardableResult
    func sweep(until deadline: ContinuousClock.Instant = .now + .seconds(5)) async throws -> Int {
        let overdue = try await store.questions(olderThan: Self.appAnswerTime, limit: Self.pageMax)
        for prompt in overdue {
            do {
                _ = try await answer(AnswerPromptRequest(id: prompt.id, answer: .approve), deadline: deadline)
            } catch let error as StoreError where error.code == .notFound {
                // The app's answer came meanwhile, or another replica was first.
            }
        }
        return overdue.count
    }
}
