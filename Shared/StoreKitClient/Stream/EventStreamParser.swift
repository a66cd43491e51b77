/// Reads Server-Sent Events (WHATWG HTML, 9.2) from bytes that come in any pieces.
///
/// Unused fields and comments are skipped. An event longer than the bound is reported as such, because the bytes after
/// it may not begin at an event.
struct EventStreamParser: Sendable {
    struct Event: Equatable, Sendable {
        /// `message` when the stream does not say.
        var name = "message"
        var data: [UInt8] = []
    }

    enum Failure: Error, Equatable {
        case eventTooLong
    }

    private let bytesMax: Int
    private var line: [UInt8] = []
    private var event = Event()
    private var hasData = false
    /// The last byte ended a line as a carriage return, so a line feed right behind it belongs to it.
    private var endedByReturn = false

    init(bytesMax: Int = ClientLimits.eventBytesMax) { self.bytesMax = bytesMax }

    /// - Returns: The events that are complete by now.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(Failure) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            defer { endedByReturn = byte == UInt8(ascii: "\r") }
            if byte == UInt8(ascii: "\n") && endedByReturn { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                line.append(byte)
                guard line.count + event.data.count <= bytesMax else { throw .eventTooLong }
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    /// - Returns: An event, when the line was the empty one behind it.
    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer { (event, hasData) = (Event(), false) }
            return hasData ? event : nil
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event.name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { event.data.append(UInt8(ascii: "\n")) }
            event.data += value
            hasData = true
        default: break
        }
        return nil
    }
}
