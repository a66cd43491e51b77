import BusProtocol
import DequeModule
import EventLoop

/// A bus inside one process, for tests: the same semantics as the broker's, without I/O.
///
/// ```swift
/// let bus = InMemoryBus()
/// let service = BusService(name: .catalog, version: "test", bus: bus.client(name: "catalog"), logger: logger)
/// let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
/// ```
/// Wildcards, queue groups (a member drawn at random from a seeded generator, or by `key`), 503 without a subscriber,
/// private inboxes and barriers are the broker's. Deliveries are strictly in order, one at a time: on `loop` when there
/// is one, otherwise on a publisher's thread. Tests disconnect a client with ``InMemoryClient/disconnect()``.
package final class InMemoryBus: Sendable {
    /// One subscription of one client.
    struct Subscription {
        let id: Int
        let client: InMemoryClient
        let pattern: SubjectPattern
        let queue: String?
        /// Messages until it ends by itself. Nil if it does not.
        var remaining: Int?
        let handler: @Sendable (BusMessage) -> Void
    }

    private struct Contents {
        var subscriptions: [Int: Subscription] = [:]
        var inboxes: [String: InMemoryClient] = [:]
        var nextIdentifier = 0
        var random: UInt64
        var jobs: Deque<@Sendable () -> Void> = []
        var isDelivering = false
    }

    /// The loop that handlers are called on. Nil for a publisher's thread.
    package let loop: UVLoop?
    private let contents: Locked<Contents>

    /// Creates a bus without clients.
    ///
    /// - Parameters:
    ///   - loop: As a real client's. Handlers are called on it.
    ///   - seed: Decides which member of a queue group gets a message.
    package init(loop: UVLoop? = nil, seed: UInt64 = 1) {
        self.loop = loop
        contents = Locked(Contents(random: seed | 1))
    }

    /// Joins another client, which is connected immediately.
    ///
    /// - Parameter echo: Whether it gets its own publishes back.
    package func client(name: String, echo: Bool = true) -> InMemoryClient {
        let client = contents.withLock { contents in
            contents.nextIdentifier += 1
            return InMemoryClient(bus: self, name: name, inbox: "_INBOX.\(contents.nextIdentifier)", echo: echo)
        }
        contents.withLock { $0.inboxes[client.inbox] = client }
        return client
    }

    /// Subscriptions that are registered now, for tests that look for leftovers.
    package var subscriptionCount: Int { contents.withLock { $0.subscriptions.count } }

    func add(
        _ pattern: SubjectPattern, queue: String?, max: Int?, client: InMemoryClient,
        handler: @escaping @Sendable (BusMessage) -> Void
    ) -> Int {
        contents.withLock { contents in
            contents.nextIdentifier += 1
            contents.subscriptions[contents.nextIdentifier] = Subscription(
                id: contents.nextIdentifier, client: client, pattern: pattern, queue: queue, remaining: max,
                handler: handler)
            return contents.nextIdentifier
        }
    }

    func remove(_ subscription: Int) {
        // Released outside of the lock: the handler may own things.
        let removed = contents.withLock { $0.subscriptions.removeValue(forKey: subscription) }
        _ = removed
    }

    /// Removes everything a client has here.
    func remove(_ client: InMemoryClient) {
        let removed = contents.withLock { contents in
            contents.inboxes[client.inbox] = nil
            let mine = contents.subscriptions.filter { $0.value.client === client }
            for identifier in mine.keys { contents.subscriptions[identifier] = nil }
            return mine
        }
        _ = removed
    }

    /// Delivers a message to its subscribers, one of each queue group. Without a subscriber the publisher of a request
    /// gets 503.
    func route(_ message: BusMessage, subject: Subject, from publisher: InMemoryClient) {
        if subject.text.utf8.starts(with: "_INBOX.".utf8) { return deliverReply(message) }
        let takers = contents.withLock { Self.takers(of: subject, key: message.key, from: publisher, in: &$0) }
        for taker in takers {
            let epoch = taker.client.epoch
            enqueue { if taker.client.isConnected(since: epoch) { taker.handler(message) } }
        }
        if takers.isEmpty, let reply = message.reply {
            deliverReply(BusMessage(subject: reply, headers: [BusHeader.sbSubject: subject.text], status: 503))
        }
    }

    /// Runs `job` after all deliveries so far.
    func enqueue(_ job: @escaping @Sendable () -> Void) {
        let isFirst = contents.withLock { contents in
            contents.jobs.append(job)
            defer { contents.isDelivering = true }
            return !contents.isDelivering
        }
        guard isFirst else { return }
        if let loop { loop.execute { self.deliverAll() } } else { deliverAll() }
    }

    private func deliverReply(_ message: BusMessage) {
        guard let dot = message.subject.lastIndex(of: "."),
            let token = UInt64(message.subject[message.subject.index(after: dot)...])
        else { return }
        let inbox = String(message.subject[..<dot])
        guard let client = contents.withLock({ $0.inboxes[inbox] }) else { return }
        enqueue { client.take(message, token: token) }
    }

    private func deliverAll() {
        while let job = nextJob() { job() }
    }

    private func nextJob() -> (@Sendable () -> Void)? {
        contents.withLock { contents in
            let job = contents.jobs.popFirst()
            if job == nil { contents.isDelivering = false }
            return job
        }
    }

    /// The receivers of a message: every plain match, and one member of each queue group.
    private static func takers(
        of subject: Subject, key: String?, from publisher: InMemoryClient, in contents: inout Contents
    ) -> [Subscription] {
        var takers: [Subscription] = []
        var groups: [String: [Subscription]] = [:]
        let matches = contents.subscriptions.values
            .filter { $0.client.isConnected && $0.pattern.matches(subject) }
            .filter { $0.client !== publisher || publisher.echo }
            .sorted { $0.id < $1.id }
        for match in matches {
            if let queue = match.queue { groups[queue, default: []].append(match) } else { takers.append(match) }
        }
        for (_, members) in groups.sorted(by: { $0.key < $1.key }) {
            takers.append(members[choice(of: members.count, key: key, in: &contents)])
        }
        for taker in takers { count(taker, in: &contents) }
        return takers
    }

    /// Counts a delivery. The last one of a subscription with a maximum ends it.
    private static func count(_ taker: Subscription, in contents: inout Contents) {
        guard let remaining = taker.remaining else { return }
        contents.subscriptions[taker.id]?.remaining = remaining - 1
        if remaining <= 1 { contents.subscriptions[taker.id] = nil }
    }

    private static func choice(of count: Int, key: String?, in contents: inout Contents) -> Int {
        if let key {
            // FNV-1a: stable between runs, unlike Swift's own hashing.
            let hash = key.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            return Int(hash % UInt64(count))
        }
        // Xorshift: enough to spread, and the same in every run with one seed.
        contents.random ^= contents.random << 13
        contents.random ^= contents.random >> 7
        contents.random ^= contents.random << 17
        return Int(contents.random % UInt64(count))
    }
}
