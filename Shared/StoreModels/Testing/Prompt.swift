/// A question that waits for a person's answer. One about an app that the customer must buy first has no transaction
/// (M72).
///
/// ```json
/// {"id":"p_01m7ye06a9","kind":"askToBuy","bundleId":"com.example.app","account":"alice",
///  "createdAt":"2026-11-21T10:00:00.004Z","answers":["approve","decline"]}
/// ```
///
/// ```json
/// {"id":"ap_01m7ye06a9","kind":"appPurchase","bundleId":"com.example.app","account":"bob",
///  "productIdentifier":"com.example.pro.monthly","appPrice":{"amount":"4.99","currency":"USD"},
///  "createdAt":"2026-11-21T10:00:00.004Z","answers":["approve","cancel","decline"]}
/// ```
public struct Prompt: Hashable, Sendable, Codable {
    /// The kind of question.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        case sheet, signIn, askToBuy, interrupted, appPurchase
        /// Asks the app whether a purchase continues in the storefront the shopper has moved to.
        case storefrontChange
        /// Asks whether a subscription continues at a higher price.
        case priceConsent
    }

    /// A person's answer.
    public enum Answer: String, CaseIterable, Sendable, Codable {
        case approve, cancel, decline
    }

    /// Made by the service, beginning with `p_`, or with `ap_` for `appPurchase`.
    public var id: String
    /// Decides which of the members below are present.
    public var kind: Kind
    @ShownApp public var bundleId: String
    /// The shopper's name.
    public var account: String
    /// The present state of the purchase.
    public var transaction: PaymentTransaction?
    /// With `appPurchase`: the product bought in the store, which needs the app first.
    public var productIdentifier: String?
    /// With `appPurchase`: the app's price.
    public var appPrice: Money?
    /// With `signIn`: the number of times a person was asked, once more with each launch that brings the unfinished
    /// transaction.
    public var times: Int?
    /// With `priceConsent`: the higher price.
    public var priceIncrease: PriceIncrease?
    /// Wall time at which the question came up.
    public var createdAt: Timestamp
    /// Business time at which the question came up. Absent with `appPurchase`.
    public var askedAt: Timestamp?
    /// The answers that the prompt takes.
    public var answers: [Answer]
}

/// Asks for a page of open prompts.
public struct PromptsRequest: Hashable, Sendable, Codable {
    /// The account to list. Nil lists all accounts.
    public var account: String?
    /// The app to list, as services name it. Nil lists the installation's apps, without isolated stores.
    public var bundleId: String?
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of open prompts, oldest first.
public struct PromptsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var prompts: [Prompt]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Answers a prompt. The first answer decides, and an answered prompt is `notFound`.
public struct AnswerPromptRequest: Hashable, Sendable, Codable {
    /// By its ``Prompt/id``.
    public var prompt: ScopedIdentifier
    /// One of the prompt's ``Prompt/answers``. Any other is `requestInvalid`.
    public var answer: Prompt.Answer
    /// The error a declined payment fails with. Nil means `unknown`.
    public var error: SKErrorCode?
}
