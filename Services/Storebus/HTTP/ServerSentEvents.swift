/// Takes an event stream apart (HTML Living Standard, 9.2.6), however the bytes were cut. Pure: bytes go in, items come
/// out.
///
/// A member of a state machine that reads a stream for hours must not grow with it: a line or an event above
/// `byteCountMax` is an error, because no event of ours comes near it.
struct ServerSentEvents: Sendable {
    /// One thing the stream said.
    enum Item: Hashable, Sendable {
        /// `data` is the data lines joined by line feeds; `event` is `message` when the stream named none.
        case event(ServerSentEvent)
        /// A line that began with a colon, without it and without one leading space.
        case comment(String)
    }

    /// The stream sent more without an end than this reader takes.
    struct TooLong: Error, Hashable, Sendable {}

    /// A page of 100 transactions is a few hundred kilobytes.
    static let byteCountMax = 8 * 1024 * 1024

    private var line: [UInt8] = []
    private var sawCarriageReturn = false
    private var atStart = true
    private var event: String?
    private var data: [String] = []
    private var dataByteCount = 0
    /// The last `id` of the stream; it stays until another comes.
    private(set) var lastEventIdentifier: String?

    init() {}

    /// Takes the next bytes.
    /// - Returns: what they completed, in order.
    /// - Throws: ``TooLong``; the reader is of no use afterwards.
    mutating func append(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            defer { sawCarriageReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where sawCarriageReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): items += endLine()
            default:
                line.append(byte)
                if line.count + dataByteCount > Self.byteCountMax { throw TooLong() }
            }
        }
        return items
    }

    private mutating func endLine() -> [Item] {
        var text = Substring(String(decoding: line, as: UTF8.self))
        line.removeAll(keepingCapacity: true)
        if atStart, text.unicodeScalars.first == "\u{FEFF}" { text = Substring(text.unicodeScalars.dropFirst()) }
        atStart = false
        if text.isEmpty { return dispatch() }
        if text.utf8.first == UInt8(ascii: ":") {
            return [.comment(String(Self.trimmingOneSpace(Substring(text.unicodeScalars.dropFirst()))))]
        }
        let parts = text.unicodeScalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        take(String(parts[0]), parts.count == 2 ? String(Self.trimmingOneSpace(Substring(parts[1]))) : "")
        return []
    }

    private mutating func take(_ field: String, _ value: String) {
        switch field {
        case "event": event = value
        case "data":
            data.append(value)
            dataByteCount += value.utf8.count + 1
        case "id" where !value.utf8.contains(0): lastEventIdentifier = value
        default: break
        }
    }

    private mutating func dispatch() -> [Item] {
        defer {
            event = nil
            data.removeAll()
            dataByteCount = 0
        }
        guard !data.isEmpty else { return [] }
        let name = event.flatMap { $0.isEmpty ? nil : $0 } ?? "message"
        return [
            .event(ServerSentEvent(id: lastEventIdentifier, event: name, data: data.joined(separator: "\n")))
        ]
    }

    private static func trimmingOneSpace(_ text: Substring) -> Substring {
        text.unicodeScalars.first == " " ? Substring(text.unicodeScalars.dropFirst()) : text
    }
}

/// One event of the observer's stream.
struct ServerSentEvent: Hashable, Sendable {
    /// The last `id` the stream sent, with this event or before.
    var id: String?
    /// `updatedTransactions`, `synchronized` … (`http-api.md`, the stream).
    var event: String
    /// JSON.
    var data: String
}
