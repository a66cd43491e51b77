import ArgumentParser

/// `--timeout 5s`: a number with `ms`, `s`, `m` or `h` behind it; alone it counts seconds.
struct TimeLimit: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    let duration: Duration

    /// A day: what is longer is a slip of the finger.
    static let max = Duration.seconds(86_400)

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number <= 86_400_000 else { return nil }
        let duration: Duration
        switch argument.dropFirst(digits.count) {
        case "ms": duration = .milliseconds(number)
        case "s", "": duration = .seconds(number)
        case "m": duration = .seconds(number * 60)
        case "h": duration = .seconds(number * 3600)
        default: return nil
        }
        guard duration <= Self.max else { return nil }
        self.duration = duration
    }

    /// `5s`, `500ms`: as the gateway reads it too.
    var description: String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        return milliseconds == 0 ? "\(seconds)s" : "\(seconds * 1000 + milliseconds)ms"
    }
}
