import BusService
import EventLoop
import Logging
import Persistence
import ServiceLifecycle
import StoreModels

/// Grants leases on an owner's versions, and recalls them after changes (ADR 0072).
///
/// ```swift
/// let isLeased = await leases.register(request.holder)     // before the version is read
/// …
/// try await settings.put(request)                          // the change is in force for new leases
/// try await leases.recall(request.bundleId)                // before the operator is answered
/// ```
/// All replicas share the holders in the database, so any of them may grant and any may recall.
package struct LeaseIssuer: ServiceLifecycle.Service {
    /// Sends a recall to a holder, and returns whether it was acknowledged in time. Nothing is awaited for
    /// ``VersionLease/everyone``.
    package typealias Send = @Sendable (_ holder: String, LeaseRecalled, _ timeout: Duration) async -> Bool

    private let database: any SQLDatabase
    private let logger: Logger
    private let send: Send
    /// Whether silent holders are being noted. Those of another recall wait for a later one.
    private let isNoting = Locked(false)

    package init(_ database: any SQLDatabase, logger: Logger, send: @escaping Send) {
        self.database = database
        self.logger = logger
        self.send = send
    }

    /// Makes the issuer of a service on the bus.
    package init(_ owner: ServiceName, _ database: any SQLDatabase, on service: BusService) {
        self.init(database, logger: service.logger) { [bus = service.bus] holder, recalled, timeout in
            await bus.recallLease(of: holder, by: owner, recalled, timeout: timeout)
        }
    }

    /// Stores a holder, so that recalls reach it from now on. The caller reads the version afterwards, so that a change
    /// between the two finds the holder.
    /// - Returns: Whether it may have a lease. False also while the database is away.
    package func register(_ holder: String?) async -> Bool {
        guard let holder, Self.isName(holder) else { return false }
        do {
            if try await database.read({ try await isRegistered(holder, in: $0) }) { return true }
            return try await database.write { try await LeaseHolderRepository.store(holder, in: $0) }
        } catch {
            logger.debug("no lease is granted", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Whether recalls reach a holder. The caller reads the version from the same snapshot.
    package func isRegistered(_ holder: String?, in reader: SQLReader) async throws -> Bool {
        guard let holder else { return false }
        return try await LeaseHolderRepository.isStored(holder, in: reader)
    }

    /// Returns when no lease from before a change is valid. The change is committed, and new grants include it.
    /// - Parameter bundleId: The changed app. Nil ends the leases on all of the owner's versions.
    /// - Throws: `serviceUnavailable` when the process stops first. Then the operator must not be answered.
    package func recall(_ bundleId: String?) async throws {
        let recalled = LeaseRecalled(bundleId: bundleId)
        // A process without a lease may have cached for the owner's absence, too.
        _ = await send(VersionLease.everyone, recalled, .zero)
        let silent = try await silentHolders(recalled)
        guard !silent.isEmpty else { return }
        let isFirst = isNoting.withLock { isNoting in
            defer { isNoting = true }
            return !isNoting
        }
        guard isFirst else { return }
        // The promise is kept already, so a slow database delays no answer.
        Task { [self] in
            await note(silent)
            isNoting.withLock { $0 = false }
        }
    }

    /// Recalls leases, and returns when none from before is valid.
    /// - Returns: The holders that have not acknowledged.
    private func silentHolders(_ recalled: LeaseRecalled) async throws -> [LeaseHolder] {
        let holders: [LeaseHolder]
        do {
            holders = try await database.read { try await LeaseHolderRepository.all(in: $0) }
        } catch {
            logger.warning("leases are waited for, their holders are unknown", metadata: ["error": "\(error)"])
            try await wait(until: .now + VersionLease.waitMax)
            return []
        }
        // Also the time from which a mark among them has stood (``LeaseHolderRepository``).
        var recall = LeaseRecall(of: holders, changedBefore: .now)
        for name in await acknowledged(by: holders, recalled, until: recall.end) { recall.acknowledge(name) }
        if !recall.isOver(at: .now) { try await wait(until: recall.end) }
        return recall.silent
    }

    /// Removes the holders that ended while this service was away, then waits for graceful shutdown. Otherwise the next
    /// changes would wait for them.
    package func run() async {
        await cancelWhenGracefulShutdown {
            // The first recall marks them, the second removes those with marks. No app has changed, so it names none.
            for _ in 1...2 { await note((try? await silentHolders(LeaseRecalled(bundleId: ""))) ?? []) }
        }
        try? await gracefulShutdown()
    }

    /// Sends the recall to all holders at the same time.
    /// - Returns: The names of those that have acknowledged it.
    private func acknowledged(
        by holders: [LeaseHolder], _ recalled: LeaseRecalled, until end: ContinuousClock.Instant
    ) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for holder in holders {
                group.addTask { [send] in
                    let timeout = ContinuousClock.now.duration(to: end)
                    return await send(holder.name, recalled, timeout) ? holder.name : nil
                }
            }
            return await group.reduce(into: []) { names, name in
                if let name { names.append(name) }
            }
        }
    }

    private func wait(until end: ContinuousClock.Instant) async throws {
        do {
            try await Task.sleep(until: end, clock: .continuous)
        } catch {
            throw StoreError(
                .serviceUnavailable, "the service stops before its change is in force everywhere; repeat it")
        }
    }

    private func note(_ silent: [LeaseHolder]) async {
        guard !silent.isEmpty else { return }
        let recall = RandomIdentifier.hex(digits: 24)
        do {
            try await database.write { transaction in
                for holder in silent { try await LeaseHolderRepository.note(holder, in: recall, transaction) }
            }
        } catch {
            logger.warning("silent holders of leases are kept", metadata: ["error": "\(error)"])
        }
        logger.info("a change has waited for leases to run out", metadata: ["holders": "\(silent.count)"])
    }

    /// Whether a text can be a token of a subject.
    private static func isName(_ text: String) -> Bool {
        text.utf8.count == VersionLease.holderLength
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
