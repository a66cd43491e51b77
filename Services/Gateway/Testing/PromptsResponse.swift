import StoreHTTP
import StoreModels

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
