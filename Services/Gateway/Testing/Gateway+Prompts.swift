import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which the operator lists and answers prompts.
    var promptRoutes: [Route] {
        [
            Route(PromptRoutes.list) { [self] in
                try await prompts($0)
            },
            Route(PromptRoutes.answer) { [self] in try await answerPrompt($0) },
        ]
    }

    /// Lists PaymentQueue's prompts and those of PromotionController; both are requested concurrently.
    private func prompts(_ call: Call) async throws -> PromptsResponse {
        let account = try call.accountFilter()
        let cursor = PromptCursor(try call.after())
        let limit = try call.limit()
        async let promotions = degrading(.promotionController) { [services] () async throws(StoreError) in
            try await services.call(
                PromotionEndpoints.listPrompts,
                PromptsRequest(
                    account: account, bundleId: call.store?.bundleId, after: cursor.promotions, limit: limit),
                context: call.context(deadline: call.optionalDeadline))
        }
        let payments = try await services.call(
            PaymentEndpoints.listPrompts,
            PromptsRequest(account: account, bundleId: call.store?.bundleId, after: cursor.payments, limit: limit),
            context: call.context())
        return PromptsResponse(payments: payments, promotions: try await promotions, after: cursor, limit: limit)
    }

    /// Answers a prompt. Its identifier shows which service asks. The first answer decides; a second one gets
    /// `notFound`.
    /// - Throws: `outcomeUnknown` when the answer was sent but no reply says whether it counted.
    private func answerPrompt(_ call: Call) async throws -> Prompt {
        let prompt = try call.scoped(.id, of: "prompt")
        let body = try await call.body(of: PromptRoutes.answer)
        try body.validate()
        let request = AnswerPromptRequest(prompt, answer: body.answer, error: body.error?.code)
        do {
            return try await services.call(
                prompt.id.hasPrefix(PromptCursor.promotionPrefix)
                    ? PromotionEndpoints.answerPrompt : PaymentEndpoints.answerPrompt,
                request, context: call.context())
        } catch  where error.leavesOutcomeUnknown {
            throw StoreError(
                .outcomeUnknown, "the answer was sent and its outcome is not known here; GET /admin/v1/prompts tells",
                retryAfterMs: 1000)
        }
    }
}

extension PromptAnswerBody {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard error == nil || answer == .decline else { throw .invalid("$.error", "goes with decline only") }
    }
}
