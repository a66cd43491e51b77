import StoreModels

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
