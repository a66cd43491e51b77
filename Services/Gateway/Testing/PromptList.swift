import StoreModels

/// What waits for a person, of both services that ask people: `{"prompts":[…],"after":"p_…,ap_…","degraded":[]}`.
struct PromptList: Encodable {
    /// Oldest first.
    var prompts: [Prompt]
    var after: String?
    /// Services whose prompts are missing.
    var degraded: [String]

    /// A page out of two pages, each as long as this one may be.
    /// - Parameters:
    ///   - promotions: nil when PromotionController is away.
    ///   - cursor: Where this page began.
    init(payments: PromptsPage, promotions: PromptsPage?, after cursor: PromptCursor, limit: Int) {
        let all = payments.prompts + (promotions?.prompts ?? [])
        // Of the same age PaymentQueue's come first, as they stand there.
        let sorted = all.enumerated().sorted { ($0.element.createdAt, $0.offset) < ($1.element.createdAt, $1.offset) }
        prompts = sorted.prefix(limit).map(\.element)
        let isMore = all.count > limit || payments.after != nil || promotions?.after != nil
        var next = cursor
        for prompt in prompts { next.note(prompt.id) }
        after = isMore ? next.text : nil
        degraded = promotions == nil ? [ServiceName.promotionController].compactMap(\.degradedName) : []
    }
}
