import BusClient
import EventLoop
import Logging

/// Keeps a service off a bus with another store or another database of the service.
///
/// The instance answers discovery before it discovers others. Of two that start simultaneously, at least one therefore
/// sees the other.
final class StoreMembership: Sendable {
    /// How long `join` collects answers. Later ones are seen by `watch`.
    static let firstLook: Duration = .milliseconds(100)
    static let look: Duration = .milliseconds(300)
    /// The pause between checks for a database that belongs to no store yet.
    static let newInterval: Duration = .milliseconds(500)
    /// The pause between checks for a database of a store. Every new connection to the bus is followed by a check, too.
    static let settledInterval: Duration = .seconds(30)

    private let rule: Locked<StoreMembershipRule>
    private let keep: @Sendable (String) async throws -> String
    private let bus: any BusClient
    private let logger: Logger

    init(
        own: StoreMembershipRule.Peer, makesStore: Bool, bus: any BusClient, logger: Logger,
        keep: @escaping @Sendable (String) async throws -> String
    ) {
        rule = Locked(StoreMembershipRule(own: own, makesStore: makesStore))
        self.keep = keep
        self.bus = bus
        self.logger = logger
    }

    /// The members that discovery announces.
    var metadata: [String: String] { rule.withLock { $0.own.identity.metadata } }

    /// Returns when the service may take requests.
    /// - Throws: ``StoreConflict``, or `BusError` when asking is not allowed, or the bus or the task has ended.
    func join() async throws {
        while true {
            let peers: [StoreMembershipRule.Peer]
            do throws(BusError) {
                peers = try await self.peers(Self.firstLook)
            } catch  where error.code == .disconnected {
                try await nextConnection()
                continue
            }
            return try await act(peers)
        }
    }

    /// Checks the databases on the bus repeatedly, until the task is cancelled.
    /// - Throws: ``StoreConflict``.
    func watch() async throws {
        while !Task.isCancelled {
            await pause()
            // Without the bus there are no other databases; the next connection is followed by a look.
            guard let peers = try? await peers(Self.look) else { continue }
            try await act(peers)
        }
    }

    private func peers(_ time: Duration) async throws(BusError) -> [StoreMembershipRule.Peer] {
        try await ServiceDiscovery(bus).ping(timeout: time).compactMap { ping in
            StoreIdentity(metadata: ping.metadata).map {
                StoreMembershipRule.Peer(service: ping.name, instance: ping.id, identity: $0)
            }
        }
    }

    private func act(_ peers: [StoreMembershipRule.Peer]) async throws(StoreConflict) {
        switch rule.withLock({ $0.decide(peers, now: .now) }) {
        case .stay: break
        case .adopt(let store): await keep(store, "the database belongs to the store on the bus from now on")
        case .make: await keep(RandomIdentifier.hex(digits: 24), "made a store for the databases on this bus")
        case .refuse(let conflict): throw conflict
        }
    }

    private func keep(_ store: String, _ event: String) async {
        do {
            let kept = try await keep(store)
            rule.withLock { $0.keep(kept) }
            logger.info("\(event)", metadata: ["store": "\(kept)"])
        } catch {
            logger.warning("the store's identity could not be written, trying again", metadata: ["error": "\(error)"])
        }
    }

    private func nextConnection() async throws(BusError) {
        for await state in bus.states where state == .connected { return }
        throw bus.endReason ?? BusError(.cancelled, "the task was cancelled while waiting for the bus")
    }

    /// Waits for the interval or a new connection, whichever comes first.
    private func pause() async {
        let isNew = rule.withLock { $0.own.identity.store == nil }
        let bus = bus
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: isNew ? Self.newInterval : Self.settledInterval) }
            group.addTask {
                var hasLost = false
                for await state in bus.states {
                    if state == .connected, hasLost { return }
                    if state != .connected { hasLost = true }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
