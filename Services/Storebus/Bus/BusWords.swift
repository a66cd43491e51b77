import BusClient
import BusProtocol
import StoreModels

/// Messages and times of the bus, as the command line writes them.
enum BusWords {
    /// `0.42`: milliseconds with two digits.
    static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let hundredths = seconds * 100_000 + attoseconds / 10_000_000_000_000
        let digits = "\(hundredths % 100)"
        return "\(hundredths / 100).\(digits.count == 1 ? "0" : "")\(digits)"
    }

    /// `12.3`: how often in a second.
    static func rate(_ count: Int, in duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(1, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let tenths = Int64(count) * 10_000_000 / microseconds
        return "\(tenths / 10).\(tenths % 10)"
    }

    static func headers(_ options: BusHeaderOptions) -> BusHeaders {
        var headers = BusHeaders()
        for (name, value) in options.pairs { headers[name] = value }
        return headers
    }

    /// A body as JSON when it is JSON, else as text.
    static func json(_ body: [UInt8]) -> JSONValue {
        (try? StrictJSON.parse(body)) ?? .string(String(decoding: body, as: UTF8.self))
    }

    /// `{"at":"…","body":{…},"headers":{…},"reply":"_INBOX.x.1","subject":"sb.catalog.v1.products.get"}`
    static func json(_ message: BusMessage, at now: Timestamp) -> JSONValue {
        var members: [String: JSONValue] = [
            "at": .string(now.description), "subject": .string(message.subject), "headers": json(message.headers),
            "body": json(message.body),
        ]
        if let reply = message.reply { members["reply"] = .string(reply) }
        if let key = message.key { members["key"] = .string(key) }
        return .object(members)
    }

    static func json(_ headers: BusHeaders) -> JSONValue {
        .object(Dictionary(headers.map { ($0.name, .string($0.value)) }, uniquingKeysWith: { $1 }))
    }
}
