import BusService
import StoreModels

/// `prompt.list` and `prompt.answer`: what waits for a person, and the person's answer.
package struct PromptDesk: Sendable {
    static let pageMax = 100

    let store: PurchaseStore
    let driver: PurchaseDriver

    package init(store: PurchaseStore, driver: PurchaseDriver) {
        self.store = store
        self.driver = driver
    }

    /// - Throws: `requestInvalid`.
    package func list(_ request: PromptsRequest) async throws -> PromptsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let rows = try await store.prompts(
            account: request.account, after: request.after ?? "", limit: request.limit + 1)
        let page = try ReplyBudget.fitting(Array(rows.prefix(request.limit)))
        return PromptsPage(prompts: page, after: page.count == rows.count ? nil : page.last?.id)
    }

    /// The first answer counts. After `approve` the purchase goes on as it would have without the prompt; the reply
    /// waits for its end as a payment's does.
    /// - Throws: `notFound` for a prompt that was answered, or never was; `requestInvalid`.
    package func answer(_ request: AnswerPromptRequest, deadline: ContinuousClock.Instant) async throws -> Prompt {
        guard request.error == nil || request.answer == .decline else {
            throw StoreError(
                .requestInvalid, "only 'decline' comes with an error", details: ["path": .string("$.error")])
        }
        let answered = try await store.answer(request)
        try driver.checkpoint(.afterAnswerCommit)
        let stored = try driver.finish(answered.written)
        let last = deadline - PurchaseCoordinator.replyMargin
        let outcome =
            stored.isAtRest ? stored : try await driver.outcome(of: stored.id, fresh: stored, until: last)
        return answered.prompt.prompt(about: (outcome ?? stored).transaction)
    }
}
