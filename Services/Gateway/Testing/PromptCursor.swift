import StoreModels

/// Where a list of prompts goes on, in both services that have some: the last prompt of each that was shown, PaymentQueue's
/// first: `p_01j…,ap_01j…`.
struct PromptCursor: Hashable, Sendable {
    /// What the identifiers of PromotionController's prompts begin with.
    static let promotionPrefix = "ap_"

    var payments: String?
    var promotions: String?

    init(_ text: String? = nil) {
        for part in text?.split(separator: ",") ?? [] { note(String(part)) }
    }

    /// A prompt was shown.
    mutating func note(_ id: String) {
        if id.hasPrefix(Self.promotionPrefix) { promotions = id } else { payments = id }
    }

    var text: String { [payments, promotions].compactMap(\.self).joined(separator: ",") }
}
