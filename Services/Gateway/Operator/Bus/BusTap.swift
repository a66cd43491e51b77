import BusClient
import BusService
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
        var messages: [(at: Timestamp, message: BusMessage, request: Int?)] = []
        var ends: [TappedRequests.End] = []
        var bytes = 0
        var missed = 0

        var isEmpty: Bool { messages.isEmpty && ends.isEmpty && missed == 0 }
    }

    private let waits: EventWaits
    /// Only messages with these bytes are taken. Nil for all.
    private let text: [UInt8]?
    private let state = Locked((collected: Collected(), requests: TappedRequests()))
    private let subscriptions = Locked<[any BusSubscription]>([])

    /// Takes a tap's place, until the tap is released.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    init(_ waits: EventWaits, text: String?) throws(StoreError) {
        signal = try waits.enter(.tap)
        self.waits = waits
        self.text = text.map { Array($0.utf8) }
    }

    deinit {
        waits.leave(signal)
        let subscriptions = self.subscriptions.withLock { $0 }
        guard !subscriptions.isEmpty else { return }
        Task { for subscription in subscriptions { await subscription.unsubscribe() } }
    }

    /// Subscribes until the tap is released.
    /// - Throws: The bus's refusal.
    func open(
        _ subject: String, on bus: any BusClient, now: @escaping @Sendable () -> Timestamp
    ) async throws(BusError) {
        for subject in [BrokerSubject.replies, subject] {
            let new = try await bus.subscribe(subject) { [weak self] message in
                self?.add(message, at: now())
            }
            subscriptions.withLock { $0.append(new) }
        }
    }

    /// Collects a message, or the end of a request if it is the reply to it.
    func add(_ message: BusMessage, at time: Timestamp, instant: ContinuousClock.Instant = .now) {
        if BrokerSubject.isReply(message) {
            let isEnd = state.withLock { state in
                guard let end = state.requests.end(with: message, at: instant) else { return false }
                state.collected.ends.append(end)
                return true
            }
            if isEnd { signal.notify() }
            return
        }
        if let text, !Self.has(text, message) { return }
        state.withLock { state in
            if state.collected.messages.count < Self.messagesMax,
                state.collected.bytes + message.body.count <= Self.bytesMax
            {
                state.collected.messages.append((time, message, state.requests.add(message, at: instant)))
                state.collected.bytes += message.body.count
            } else {
                state.collected.missed += 1
            }
        }
        signal.notify()
    }

    /// Collects the ends of requests whose deadlines have passed.
    func addOverdue(at instant: ContinuousClock.Instant = .now) {
        let hasSome = state.withLock { state in
            let ends = state.requests.overdue(at: instant)
            state.collected.ends += ends
            return !ends.isEmpty
        }
        if hasSome { signal.notify() }
    }

    /// Returns what was collected since the last call. Nil for nothing.
    func take() -> BusTapMessages? {
        let taken = state.withLock { state in
            defer { state.collected = Collected() }
            return state.collected
        }
        guard !taken.isEmpty else { return nil }
        return BusTapMessages(
            messages: taken.messages.map { Self.shown($0.message, at: $0.at, request: $0.request) },
            ends: taken.ends.map { end in
                BusTapMessages.End(
                    request: end.request, outcome: end.outcome,
                    durationMs: (end.duration / .milliseconds(1) * 100).rounded() / 100, error: end.error)
            }, missed: taken.missed)
    }

    private static func has(_ text: [UInt8], _ message: BusMessage) -> Bool {
        if message.subject.utf8.firstRange(of: text) != nil { return true }
        if message.headers.contains(where: { $0.value.utf8.firstRange(of: text) != nil }) { return true }
        guard message.body.firstRange(of: text) != nil else { return false }
        // What is redacted must not be found either: a search would tell it letter by letter.
        guard let value = try? StrictJSON.parse(message.body) else { return true }
        return (try? StoreJSON.encode(Redaction.redacted(value)))?.firstRange(of: text) != nil
    }

    private static func shown(_ message: BusMessage, at time: Timestamp, request: Int?) -> BusTapMessages.Message {
        BusTapMessages.Message(
            at: time, subject: message.subject, reply: message.reply != nil, request: request,
            service: message.reply.flatMap { _ in BrokerSubject.service(of: message.subject) },
            isPoll: BrokerSubject.isPoll(message.subject),
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
        "authorization", "bodyStart", "data", "jws", "offerCode",
        "oneTimeCodes", "password", "privateKey", "receiptData", "secret", "sharedSecret",
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
