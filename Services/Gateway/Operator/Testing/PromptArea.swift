import BusService
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// The routes by which the operator lists and answers prompts.
struct PromptArea: Area {
    let services: ServiceCaller
    let logger: Logger

    var routes: [Route] {
        [
            Route(PromptRoutes.list) { try await prompts($0) },
            Route(PromptRoutes.answer) { try await answerPrompt($0) },
        ]
    }

    /// Lists PaymentQueue's prompts and those of PromotionController, which are requested concurrently.
    private func prompts(_ call: Call) async throws -> PromptsResponse {
        let account = try call.accountFilter()
        let cursor = PromptCursor(try call.after())
        let limit = try call.limit()
        async let promotions = degrading(.promotionController, logger) { () async throws(StoreError) in
            try await services.call(
                PromotionEndpoints.listPrompts,
                PromptsRequest(
                    account: account, bundleId: call.store?.bundleId, after: cursor.promotions, limit: limit),
                context: call.context(deadline: call.optionalDeadline))
        }
        let payments = try await services.call(
            PaymentEndpoints.listPrompts,
            PromptsRequest(account: account, bundleId: call.store?.bundleId, after: cursor.payments, limit: limit),
            for: call)
        return PromptsResponse(payments: payments, promotions: try await promotions, after: cursor, limit: limit)
    }

    /// Answers a prompt. Its identifier shows which service asks. The first answer decides, and a second one gets
    /// `notFound`.
    /// - Throws: `outcomeUnknown` when the answer was sent but no reply says whether it counted.
    private func answerPrompt(_ call: Call) async throws -> Prompt {
        let prompt = try call.scoped(.id, of: "prompt")
        let body = try await call.body(of: PromptRoutes.answer)
        let request = AnswerPromptRequest(prompt, answer: body.answer, error: body.error?.code)
        return try await services.call(
            prompt.id.hasPrefix(PromptCursor.promotionPrefix)
                ? PromotionEndpoints.answerPrompt : PaymentEndpoints.answerPrompt,
            request, for: call,
            else: "the answer was sent and its outcome is not known here; GET /admin/v1/prompts shows it")
    }
}

extension PromptAnswerBody: CheckedBody {
    package func validate() throws(StoreError) {
        guard error == nil || answer == .decline else { throw .invalid("$.error", "goes with decline only") }
    }
}

extension PromptsResponse {
    /// Merges two pages into one, each as long as this one may be.
    /// - Parameters:
    ///   - promotions: Nil when PromotionController is away.
    ///   - cursor: Where this page began.
    init(payments: PromptsPage, promotions: PromptsPage?, after cursor: PromptCursor, limit: Int) {
        let all = payments.prompts + (promotions?.prompts ?? [])
        // PaymentQueue's prompts precede others of the same age, because they are first in `all`.
        let sorted = all.enumerated().sorted { ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset) }
        let prompts = sorted.prefix(limit).map(\.element)
        let isMore = all.count > limit || payments.after != nil || promotions?.after != nil
        var next = cursor
        for prompt in prompts { next.note(prompt.id) }
        self.init(
            prompts: prompts, after: isMore ? next.text : nil,
            degraded: promotions == nil ? [ServiceName.promotionController].compactMap(\.degradedName) : [])
    }
}

/// Cursor of a list of prompts of both services. It has the last listed prompt of each, PaymentQueue's first:
/// `p_01j…,ap_01j…`.
struct PromptCursor: Hashable, Sendable {
    /// Prefix of the identifiers of PromotionController's prompts.
    static let promotionPrefix = "ap_"

    var payments: String?
    var promotions: String?

    init(_ text: String? = nil) {
        for part in text?.split(separator: ",") ?? [] { note(String(part)) }
    }

    /// Records a listed prompt.
    mutating func note(_ id: String) {
        if id.hasPrefix(Self.promotionPrefix) { promotions = id } else { payments = id }
    }

    var text: String { [payments, promotions].compactMap(\.self).joined(separator: ",") }
}
