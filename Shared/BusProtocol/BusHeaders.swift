/// A message's headers: a few name-value pairs, in the order they were set.
///
/// Names are compared byte for byte. A message carries at most 32 entries, and neither names nor values hold CR, LF or
/// NUL, so that it also fits NATS. On the wire: `"headers":{"traceparent":"00-…","Sb-Timeout":"4800"}`.
package struct BusHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var entries: [(name: String, value: String)] = []

    /// Creates headers without entries.
    package init() {}

    /// Creates headers in the literal's order. Of a repeated name the last value counts.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Number of entries.
    package var count: Int { entries.count }
    /// Whether the headers are empty.
    package var isEmpty: Bool { entries.isEmpty }

    /// The value under a name. Setting nil removes it.
    package subscript(_ name: String) -> String? {
        get { entries.first { $0.name == name }?.value }
        set {
            let index = entries.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append((name, value))
            case (nil, nil): break
            }
        }
    }

    package static func == (left: BusHeaders, right: BusHeaders) -> Bool {
        left.count == right.count && left.entries.allSatisfy { right[$0.name] == $0.value }
    }

    /// Adds without looking for the name, for decoders that have ruled out duplicates.
    mutating func append(_ name: String, _ value: String) {
        entries.append((name, value))
    }
}

extension BusHeaders: Sequence {
    package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> { entries.makeIterator() }
}

extension BusHeaders {
    /// Reads the object at a range that `FrameHeader` has already checked.
    init(checked range: Range<Int>, in bytes: Span<UInt8>) throws(BusViolation) {
        self.init()
        let object = bytes.extracting(range)
        var scanner = HeaderScanner()
        try scanner.take(UInt8(ascii: "{"), object, "an object")
        scanner.skipWhitespace(object)
        if scanner.takeIf(UInt8(ascii: "}"), object) { return }
        repeat {
            let name = try scanner.memberName(object)
            let value = try scanner.string(object)
            append(name.text(in: object), value.text(in: object))
        } while try scanner.hasNext(UInt8(ascii: "}"), object)
    }

    /// Checks the bounds that a client keeps before it sends.
    ///
    /// - Throws: `bad_member` for more than 32 entries, or CR, LF or NUL in one of them.
    func checkForSending() throws(BusViolation) {
        guard count <= BusLimits.headersMax else {
            throw BusViolation(.badMember, "a message has at most \(BusLimits.headersMax) headers")
        }
        for entry in entries where !Self.isPlain(entry.name) || !Self.isPlain(entry.value) {
            throw BusViolation(.badMember, "the header '\(entry.name)' holds CR, LF or NUL")
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
    }
}

/// Names of the headers that Storebus gives a meaning to.
package enum BusHeader {
    /// W3C trace context, the parent.
    package static let traceparent = "traceparent"
    /// W3C trace context, vendors' part.
    package static let tracestate = "tracestate"
    /// Idempotency key, unchanged across retries.
    package static let sbID = "Sb-Id"
    /// Remaining budget in milliseconds, from which each hop subtracts. Best effort: no safety argument rests on it.
    package static let sbTimeout = "Sb-Timeout"
    /// Number of this attempt, from 1.
    package static let sbAttempt = "Sb-Attempt"
    /// Who asks: `c:<app>:<customerIdentifier>:<device>`. Set by the gateway only.
    package static let sbActor = "Sb-Actor"
    /// The subject a 503 or 429 status message speaks of. Set by the broker only.
    package static let sbSubject = "Sb-Subject"
    /// A sentence, on error replies (NATS ADR-32).
    package static let natsServiceError = "Nats-Service-Error"
    /// A number, on error replies (NATS ADR-32).
    package static let natsServiceErrorCode = "Nats-Service-Error-Code"
    /// Media type of a body that is not JSON.
    package static let contentType = "Content-Type"
}
