import BusClient
import EventLoop
import StoreHTTP
import StoreModels

/// Collects the messages on the bus for one client. It drops those that are too many to show.
final class BusTap: Sendable {
    /// Maximum number of messages between two writes.
    static let messagesMax = 50
    /// Maximum number of bodies' bytes between two writes.
    static let bytesMax = 1 << 20
    /// Maximum number of a body's bytes that are shown.
    static let bodyBytesMax = 4096

    let signal: EventSignal
    private struct Collected {
        var messages: [(at: Timestamp, message: BusMessage)] = []
        var bytes = 0
        var missed = 0
    }

    private let waits: EventWaits
    /// Only messages with these bytes are taken. Nil for all.
    private let text: [UInt8]?
    private let collected = Locked(Collected())
    private let subscription = Locked<(any BusSubscription)?>(nil)

    /// Takes a tap's place, until the tap is released.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    init(_ waits: EventWaits, text: String?) throws(StoreError) {
        signal = try waits.enter(.tap)
        self.waits = waits
        self.text = text.map { Array($0.utf8) }
    }

    deinit {
        waits.leave(signal)
        guard let subscription = subscription.withLock({ $0 }) else { return }
        Task { await subscription.unsubscribe() }
    }

    /// Subscribes until the tap is released.
    /// - Throws: The bus's refusal.
    func open(
        _ subject: String, on bus: any BusClient, now: @escaping @Sendable () -> Timestamp
    ) async throws(BusError) {
        let new = try await bus.subscribe(subject) { [weak self] message in
            self?.add(message, at: now())
        }
        subscription.withLock { $0 = new }
    }

    func add(_ message: BusMessage, at time: Timestamp) {
        if let text, !Self.has(text, message) { return }
        collected.withLock { collected in
            if collected.messages.count < Self.messagesMax, collected.bytes + message.body.count <= Self.bytesMax {
                collected.messages.append((time, message))
                collected.bytes += message.body.count
            } else {
                collected.missed += 1
            }
        }
        signal.notify()
    }

    /// Returns the messages collected since the last call. Nil for none.
    func take() -> BusTapMessages? {
        let taken = collected.withLock { collected in
            defer { collected = Collected() }
            return collected
        }
        guard !taken.messages.isEmpty || taken.missed > 0 else { return nil }
        return BusTapMessages(messages: taken.messages.map { Self.shown($1, at: $0) }, missed: taken.missed)
    }

    private static func has(_ text: [UInt8], _ message: BusMessage) -> Bool {
        if message.subject.utf8.firstRange(of: text) != nil { return true }
        if message.headers.contains(where: { $0.value.utf8.firstRange(of: text) != nil }) { return true }
        guard message.body.firstRange(of: text) != nil else { return false }
        // What is redacted must not be found either: a search would tell it letter by letter.
        guard let value = try? StrictJSON.parse(message.body) else { return true }
        return (try? StoreJSON.encode(Redaction.redacted(value)))?.firstRange(of: text) != nil
    }

    private static func shown(_ message: BusMessage, at time: Timestamp) -> BusTapMessages.Message {
        BusTapMessages.Message(
            at: time, subject: message.subject, reply: message.reply != nil,
            headers: Dictionary(message.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" }),
            body: body(message.body), bytes: message.body.count)
    }

    private static func body(_ bytes: [UInt8]) -> JSONValue {
        guard let value = try? StrictJSON.parse(bytes) else { return cut(bytes) }
        let redacted = Redaction.redacted(value)
        guard bytes.count > bodyBytesMax else { return redacted }
        return cut((try? StoreJSON.encode(redacted)) ?? [])
    }

    private static func cut(_ bytes: [UInt8]) -> JSONValue {
        .string(String(decoding: bytes.prefix(bodyBytesMax), as: UTF8.self))
    }
}

/// Replaces the secrets in bodies that an operator looks at.
enum Redaction {
    static let replacement = "(redacted)"

    /// Names of members whose values open something or are signed for another: receipts, tokens, keys, and parts of
    /// files (`data`), because a catalogue has the key of its offers.
    private static let secrets: Set<String> = [  // keys: names of members
        "authorization", "bodyStart", "data", "jws", "password", "privateKey", "receiptData", "secret", "sharedSecret",
        "signature", "signedPayload", "signedPayloads", "signedRenewalInfo", "signedTransactionInfo", "token",
        "transactionReceipt",
    ]

    static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        if secrets.contains(name), value != .null { return (name, .string(replacement)) }
                        if name == "url", let text = value.stringValue { return (name, .string(address(text))) }
                        return (name, redacted(value))
                    }))
        case .array(let values): .array(values.map(redacted))
        default: value
        }
    }

    /// Cuts a URL before its query, and its user and password out.
    private static func address(_ url: String) -> String {
        let bytes = Array(url.utf8)
        let marks = [UInt8(ascii: "?"), UInt8(ascii: "#")]
        var rest = bytes[..<(bytes.firstIndex(where: marks.contains) ?? bytes.endIndex)]
        var shown: [UInt8] = []
        if let scheme = rest.firstRange(of: Array("://".utf8)) {
            let end = rest[scheme.upperBound...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            if let at = rest[scheme.upperBound..<end].lastIndex(of: UInt8(ascii: "@")) {
                shown = rest[..<scheme.upperBound] + Array(replacement.utf8)
                rest = rest[at...]
            }
        }
        shown += rest
        return String(decoding: shown, as: UTF8.self) + (rest.endIndex < bytes.endIndex ? replacement : "")
    }
}
