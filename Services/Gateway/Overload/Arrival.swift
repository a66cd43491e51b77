import HTTPTypes
import NIOCore
import NIOHTTP1

/// The time at which a request's head arrived, which travels from the HTTP thread to the handlers as a header field. One
/// that a client sends is replaced.
enum Arrival {
    // `Name(_:)` fails only for text that is not a token (RFC 9110 §5.1).
    static let name = HTTPField.Name("Sb-Arrival")!

    static func stamp(_ head: inout HTTPRequestHead, _ now: NIODeadline) {
        head.headers.replaceOrAdd(name: name.rawName, value: "\(now.uptimeNanoseconds)")
    }

    /// The arrival on the clock of deadlines; now for a request without a stamp.
    static func time(
        _ headers: HTTPFields, now: NIODeadline = .now(), clock: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        guard let stamp = headers[name].flatMap(UInt64.init), stamp <= now.uptimeNanoseconds else { return clock }
        return clock - .nanoseconds(now.uptimeNanoseconds - stamp)
    }
}
