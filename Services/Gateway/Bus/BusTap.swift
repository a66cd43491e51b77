import BusClient
import EventLoop
import StoreHTTP
import StoreModels

/// Collects what passes over the bus for one client, and drops what is more than the client can be shown.
final class BusTap: Sendable {
    /// Maximum number of messages between two writes.
    static let messagesMax = 50
    /// Maximum number of a body's bytes that are shown.
    static let bodyBytesMax = 4096

    let bell: EventBell
    private let waits: EventWaits
    /// Only messages with these bytes are taken; nil for all.
    private let text: [UInt8]?
    private let collected = Locked((messages: [(at: Timestamp, message: BusMessage)](), missed: 0))
    private let subscription = Locked<(any BusSubscription)?>(nil)

    /// Takes a tap's place, until the tap is released.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    init(_ waits: EventWaits, text: String?) throws(StoreError) {
        bell = try waits.enter(.tap)
        self.waits = waits
        self.text = text.map { Array($0.utf8) }
    }

    deinit {
        waits.leave(bell)
        guard let subscription = subscription.withLock({ $0 }) else { return }
        Task { await subscription.unsubscribe() }
    }

    /// Subscribes until the tap is released.
    /// - Throws: The bus's refusal.
    func open(
        _ pattern: String, on bus: any BusClient, now: @escaping @Sendable () -> Timestamp
    ) async throws(BusError) {
        let new = try await bus.subscribe("$SYS.TAP.\(pattern)") { [weak self] message in
            self?.add(message, at: now())
        }
        subscription.withLock { $0 = new }
    }

    func add(_ message: BusMessage, at time: Timestamp) {
        if let text, !Self.has(text, message) { return }
        collected.withLock { collected in
            if collected.messages.count < Self.messagesMax {
                collected.messages.append((time, message))
            } else {
                collected.missed += 1
            }
        }
        bell.ring()
    }

    /// Returns what was collected since the last call; nil for nothing.
    func take() -> BusTapMessages? {
        let (messages, missed) = collected.withLock { collected in
            defer { collected = ([], 0) }
            return collected
        }
        guard !messages.isEmpty else { return nil }
        return BusTapMessages(messages: messages.map { Self.shown($1, at: $0) }, missed: missed)
    }

    private static func has(_ text: [UInt8], _ message: BusMessage) -> Bool {
        !message.subject.utf8.ranges(of: text).isEmpty || message.body.firstRange(of: text) != nil
            || message.headers.contains { !$0.value.utf8.ranges(of: text).isEmpty }
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

    /// Names of members whose values open something or are signed for another: receipts, tokens, keys.
    private static let secrets: Set<String> = [
        "authorization", "jws", "password", "privateKey", "receiptData", "secret", "sharedSecret", "signature",
        "signedPayload", "signedPayloads", "signedRenewalInfo", "signedTransactionInfo", "token", "transactionReceipt",
    ]

    static func redacted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        (name, secrets.contains(name) && value != .null ? .string(replacement) : redacted(value))
                    }))
        case .array(let values): .array(values.map(redacted))
        default: value
        }
    }
}
