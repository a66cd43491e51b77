import StoreModels

/// The result of reading a file's `settings`: the testers' defaults, and each name's effect.
struct FileSettings: Hashable, Sendable {
    /// Names that took effect, in their order.
    var applied: [String] = []
    /// Names without effect, which stay in the file.
    var ignored: [String] = []
    /// `_locale`: the language of texts where a storefront's own is missing.
    var defaultLocale: LocaleName?
    /// Nil when the file sets no defaults for testers.
    var testerDefaults: TesterSettings?
    /// `_timeRate`, when it makes subscriptions renew faster than in real time.
    var timeRate: Int?
    /// `_billingGracePeriodEnabled`: the app's setting, when the file names it.
    var billingGracePeriod: Bool?
}
