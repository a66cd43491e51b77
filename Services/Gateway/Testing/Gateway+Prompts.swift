import BusService
import Hummingbird
import StoreModels

extension Gateway {
    /// What waits for a person, and the answer.
    var promptRoutes: [Route] {
        [
            Route(.get, "/admin/v1/prompts", .admin, query: ["account", "after", "limit"]) { [self] in
                try await prompts($0)
            },
            Route(.post, "/admin/v1/prompts/{id}", .admin) { [self] in try await answerPrompt($0) },
        ]
    }

    private func prompts(_ call: Call) async throws -> Response {
        let request = PromptsRequest(
            account: try call.accountFilter(), after: try call.after(), limit: try call.limit())
        return try Reply.json(
            try await services.call(PaymentEndpoints.listPrompts, request, context: call.context()))
    }

    /// Whoever answers first decides; the second hears `notFound`.
    /// - Throws: `outcomeUnknown` when the answer was sent and nobody can say whether it counted.
    private func answerPrompt(_ call: Call) async throws -> Response {
        let id = try call.parameter("id")
        let body = try await call.body(PromptAnswer.self, members: PromptAnswer.members)
        try body.validate()
        let request = AnswerPromptRequest(id: id, answer: body.answer, error: body.error?.code)
        do {
            return try Reply.json(
                try await services.call(PaymentEndpoints.answerPrompt, request, context: call.context()))
        } catch let error as StoreError where error.leavesOutcomeUnknown {
            throw StoreError(
                .outcomeUnknown, "the answer was sent and its outcome is not known here; GET /admin/v1/prompts tells",
                retryAfterMs: 1000)
        }
    }
}
