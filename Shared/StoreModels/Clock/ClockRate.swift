/// The speed of an app's business clock: a time rate of StoreKit's, or a factor.
///
/// On the wire a name, `"oneRenewalEveryThirtySeconds"`, or a number, `720`: business seconds in a second of wall time.
/// Each app has one clock, which runs evenly. So a named rate means that a month of 30 days takes the named time, and
/// every other period its share of it. A tester's own `subscriptionRenewalRate` compresses periods as StoreKit's table
/// does.
public enum ClockRate: Hashable, Sendable {
    case named(SubscriptionRenewalRate)
    /// 0.000001 to 10 000 000. Zero is refused, because a clock can be frozen instead.
    case factor(Double)

    /// The factors that a rate may have.
    public static let factors = 0.000_001...10_000_000.0

    /// One business second in a second of wall time. The default.
    public static let realTime = ClockRate.named(.realTime)

    /// Business milliseconds in a million wall milliseconds.
    public var millionths: Int64 {
        switch self {
        case .named(let rate): rate.clockFactor * 1_000_000
        case .factor(let factor): Int64((factor * 1_000_000).rounded())
        }
    }

    /// Parses the form used on the wire and on a command line: `realTime`, `one-renewal-every-minute`, `86400`.
    /// - Returns: Nil for an unknown name and for a factor out of range.
    public init?(_ text: String) {
        if let rate = SubscriptionRenewalRate(spelled: text) {
            self = .named(rate)
        } else if let factor = Double(text), Self.factors.contains(factor) {
            self = .factor(factor)
        } else {
            return nil
        }
    }
}

extension ClockRate: Codable {
    /// Reads a name or a number.
    /// - Throws: `DecodingError` for an unknown name and for a factor outside ``factors``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let rate: ClockRate? =
            if let factor = try? container.decode(Double.self) {
                Self.factors.contains(factor) ? .factor(factor) : nil
            } else {
                SubscriptionRenewalRate(rawValue: try container.decode(String.self)).map(ClockRate.named)
            }
        guard let rate else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a rate is a name of StoreKit's, or a factor from 0.000001 to 10000000"))
        }
        self = rate
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .named(let rate): try container.encode(rate.rawValue)
        case .factor(let factor): try container.encode(factor)
        }
    }
}
