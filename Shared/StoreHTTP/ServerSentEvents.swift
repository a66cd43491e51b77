/// One event of a stream of server-sent events (HTML Living Standard, 9.2).
package struct ServerSentEvent: Hashable, Sendable {
    /// The last identifier the stream sent, with this event or before. Nil for none.
    package var id: String?
    /// `message` when the stream names none.
    package var name: String = "message"
    /// The data lines, joined by line feeds. An event that is sent has some.
    package var data: [UInt8] = []

    /// The data as text.
    package var text: String { String(decoding: data, as: UTF8.self) }
}

/// Writes server-sent events:
///
/// ```
/// event: updatedTransactions
/// id: 7
/// data: {"seq":7,"transactions":[…]}
/// ```
package enum ServerSentEventEncoder {
    /// - Precondition: Neither the event's name nor its identifier has a line end.
    package static func bytes(_ event: ServerSentEvent) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(event.data.count + 64)
        append("event", event.name, to: &bytes)
        if let id = event.id { append("id", id, to: &bytes) }
        for line in event.data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            bytes += "data: ".utf8
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Writes a line that observers skip and people read: `: degraded payments promotions`.
    package static func comment(_ text: String) -> [UInt8] { Array(": \(text)\n\n".utf8) }

    private static func append(_ field: String, _ value: String, to bytes: inout [UInt8]) {
        precondition(!value.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "a line end in \(field)")
        bytes += "\(field): \(value)\n".utf8
    }
}

/// Reads server-sent events from bytes that come in any pieces.
///
/// Unknown fields are skipped. A stream is read for hours, so the parser's memory is bounded: a line or an event above
/// the bound is an error, because the bytes after it may not begin at an event.
package struct ServerSentEventParser: Sendable {
    /// One item of a stream, in its order.
    package enum Item: Hashable, Sendable {
        case event(ServerSentEvent)
        /// A line that begins with a colon, without the colon and one leading space.
        case comment(String)
    }

    /// The error of an event above the bound.
    package struct EventTooLong: Error, Hashable, Sendable {
        /// Creates the error, which carries nothing of the event.
        package init() {}
    }

    private let byteCountMax: Int
    private var line: [UInt8] = []
    /// Whether the last byte was a carriage return. A line feed then ends no second line.
    private var endedByReturn = false
    private var isAtStart = true
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    /// The last `id` of the stream.
    package private(set) var lastEventIdentifier: String?

    /// - Parameter byteCountMax: Maximum size of an event, in bytes.
    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Reads the next bytes.
    /// - Returns: The items they complete, in order.
    /// - Throws: ``EventTooLong``, after which the parser is of no use.
    package mutating func append(_ bytes: some Sequence<UInt8>) throws(EventTooLong) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            defer { endedByReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            case UInt8(ascii: "\n") where endedByReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): if let item = endLine() { items.append(item) }
            default:
                line.append(byte)
                guard line.count + data.count <= byteCountMax else { throw EventTooLong() }
            }
        }
        return items
    }

    private mutating func endLine() -> Item? {
        defer { line.removeAll(keepingCapacity: true) }
        var rest = line[...]
        if isAtStart, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        isAtStart = false
        guard let first = rest.first else { return endEvent() }
        let colon = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        var value = rest[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if first == UInt8(ascii: ":") { return .comment(String(decoding: value, as: UTF8.self)) }
        switch String(decoding: rest[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data += value
            hasData = true
        case "id" where !value.contains(0): lastEventIdentifier = String(decoding: value, as: UTF8.self)
        default: break
        }
        return nil
    }

    /// - Returns: Nil for an event without data, which is not an event.
    private mutating func endEvent() -> Item? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        return .event(ServerSentEvent(id: lastEventIdentifier, name: name.isEmpty ? "message" : name, data: data))
    }
}
