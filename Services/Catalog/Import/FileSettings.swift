import StoreModels

/// What a file's `settings` came to: what testers of the app do unless set otherwise, and what became of each name.
struct FileSettings: Hashable, Sendable {
    /// Names that took effect, in their order.
    var applied: [String] = []
    /// Names that were kept in the file, without effect.
    var ignored: [String] = []
    /// `_locale`: the language of texts where a storefront's own is missing.
    var defaultLocale: LocaleName?
    /// Nil when the file says nothing of testers.
    var testerDefaults: TesterSettings?
    /// `_timeRate`, when it makes subscriptions renew faster than in real time.
    var timeRate: Int?
    /// `_billingGracePeriodEnabled`: the app's setting, when the file names it.
    var billingGracePeriod: Bool?
}
