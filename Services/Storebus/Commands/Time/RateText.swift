import ArgumentParser
import StoreModels

/// How fast a clock shall run, as a command line says it: a name of StoreKit's, `one-renewal-every-thirty-seconds` or as
/// it is spelled there; `REAL=STORE`, `30s=1mo`; or a factor, `720`.
enum RateText {
    /// - Returns: nil for what is none of them, and for a factor out of range.
    static func rate(_ text: String) -> ClockRate? {
        let halves = text.split(separator: "=", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return ClockRate(text) }
        guard let real = BusinessDuration(String(halves[0])), let store = BusinessDuration(String(halves[1])) else {
            return nil
        }
        let factor = Double(milliseconds(store)) / Double(milliseconds(real))
        return ClockRate.factors.contains(factor) ? .factor(factor) : nil
    }

    /// A year has 365 days here and a month 30, because a clock runs evenly.
    private static func milliseconds(_ duration: BusinessDuration) -> Int64 {
        let days = duration.months / 12 * 365 + duration.months % 12 * 30
        return Int64(days) * 86_400_000 + duration.milliseconds
    }

    /// - Throws: a sentence for the parser, with what was perhaps meant.
    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, rate(text) == nil else { return }
        let near = Suggestion.ending(for: text, among: words)
        throw ValidationError(
            "\(flag) is a name such as one-renewal-every-minute, REAL=STORE such as 30s=1mo, or a factor\(near)")
    }

    /// StoreKit's names as a command line spells them.
    static let words = SubscriptionRenewalRate.allCases.map { rate in
        rate.rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
        }
    }
}
