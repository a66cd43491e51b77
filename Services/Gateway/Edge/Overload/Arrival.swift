import HTTPTypes
import NIOCore
import NIOHTTP1

/// The arrival of a request at the HTTP thread, which travels to the handlers as a header field. It says when the request
/// could begin, and whether its body was there. One that a client sends is replaced.
enum Arrival {
    // `Name(_:)` fails only for text that is not a token (RFC 9110 §5.1).
    static let name = HTTPField.Name("Sb-Arrival")!

    /// Sets the field: nanoseconds, and a `w` for a request that has arrived as a whole.
    static func stamp(_ head: inout HTTPRequestHead, _ now: NIODeadline, isWhole: Bool) {
        let time = String(now.uptimeNanoseconds)
        head.headers.replaceOrAdd(name: name.rawName, value: isWhole ? time + "w" : time)
    }

    /// The arrival on the clock of deadlines. It is now for a request without a stamp.
    static func time(
        _ headers: HTTPFields, now: NIODeadline = .now(), clock: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        guard let text = headers[name], let stamp = UInt64(isWhole(text) ? text.dropLast() : text[...]),
            stamp <= now.uptimeNanoseconds
        else { return clock }
        return clock - .nanoseconds(now.uptimeNanoseconds - stamp)
    }

    /// Whether the request's body has arrived, so that reading it waits for no client.
    static func isWhole(_ headers: HTTPFields) -> Bool { headers[name].map(isWhole) ?? false }

    private static func isWhole(_ stamp: String) -> Bool { stamp.utf8.last == UInt8(ascii: "w") }
}
