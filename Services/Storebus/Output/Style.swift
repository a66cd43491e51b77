/// Colours of one stream, or none. A colour never says anything that the words do not.
struct Style: Hashable, Sendable {
    var isOn: Bool

    init(isOn: Bool) { self.isOn = isOn }

    static let plain = Style(isOn: false)

    /// What a colour stands for.
    enum Tone: String, Sendable {
        case good = "32"
        case bad = "31"
        case waiting = "33"
        case strong = "1"
        case faint = "2"

        /// Of a word for a state: of a transaction, a service, a check.
        static func of(state: String) -> Tone? {
            switch state {
            case "purchased", "restored", "finished", "pass", "ready", "answering", "yes", "ok", "subscribed",
                "resubscribed", "renewed", "recovered", "eligible":
                .good
            case "failed", "cancelled", "fail", "away", "unavailable", "error", "critical", "expired", "revoked",
                "billingFailed", "ineligible":
                .bad
            case "inGracePeriod", "inBillingRetryPeriod", "gracePeriodStarted", "billingRetryStarted", "unknown",
                "purchasing", "deferred", "running", "waiting", "active", "paused", "warn", "warning", "not ready",
                "unfinished":
                .waiting
            default: nil
            }
        }
    }

    func paint(_ text: String, _ tone: Tone?) -> String {
        guard isOn, let tone, !text.isEmpty else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }
}
