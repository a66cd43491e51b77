import EventLoop
import Persistence
import StoreModels

/// Approves due charges and sends callbacks, in the background.
///
/// It reads the ledger instead of keeping state, so the next process approves the charges pending at the end of one. A
/// callback follows its commit and is a hint: a lost one is not sent again.
package struct ChargeSettler: Sendable {
    /// The monotonic time between two rounds, unless a charge or callback is due earlier. A wait that begins between
    /// them lasts at least as long, so all are in time.
    package static let interval: Duration = .seconds(1)
    /// The minimum time between two rounds. Another processor of a shared ledger may be processing the due charges.
    package static let breath: Duration = .milliseconds(20)
    /// Maximum number of charges approved by one commit.
    static let approvedMax = 256

    let ledger: ChargeLedger
    let publish: @Sendable (ChargeChanged) -> Void

    /// - Parameter publish: Sends a callback, ``ProcessorEvents/chargeChanged``.
    package init(ledger: ChargeLedger, publish: @escaping @Sendable (ChargeChanged) -> Void) {
        self.ledger = ledger
        self.publish = publish
    }

    /// Approves due charges and sends due callbacks.
    /// - Returns: The wait until a charge or callback is due, or nil when none is pending.
    @discardableResult
    package func round() async throws -> Duration? {
        let now = ledger.steady
        for chargeKey in ledger.takeDueCallbacks(now: now) { publish(ChargeChanged(chargeKey: chargeKey)) }
        let due = try await ledger.nextPending()
        if let due, due > now + ChargeLedger.pendingTime {
            // Another process wrote the charge, with a clock that was ahead.
            try await ledger.limitPending(to: now + ChargeLedger.pendingTime)
        } else if let due, due <= now {
            let approved = try await ledger.approveDue(now: now, limit: Self.approvedMax)
            for chargeKey in approved { publish(ChargeChanged(chargeKey: chargeKey)) }
        }
        let pending = due == nil ? nil : try await ledger.nextPending()
        let next = [pending, ledger.nextCallback].compactMap(\.self).min()
        return next.map { max(.milliseconds($0.milliseconds - now.milliseconds), Self.breath) }
    }
}

/// The ledger's operations for ``ChargeSettler``.
extension ChargeLedger {
    /// Returns the time at which the next pending charge is due, if one is pending.
    func nextPending() async throws -> Timestamp? {
        try await database.read { reader in try await ChargeRepository.nextDue(in: reader) }
    }

    /// Limits the due time of all pending charges.
    func limitPending(to due: Timestamp) async throws {
        try await database.write { transaction in try await ChargeRepository.limitDue(to: due, in: transaction) }
    }

    /// Approves due charges.
    /// - Returns: The keys of the approved charges.
    func approveDue(now: Timestamp, limit: Int) async throws -> [String] {
        let approved = try await database.write { transaction in
            try await ChargeRepository.approveDue(now: now, limit: limit, in: transaction)
        }
        for chargeKey in approved { record.noteApproval(of: chargeKey) }
        return approved
    }

    func takeDueCallbacks(now: Timestamp) -> [String] { callbacks.withLock { $0.takeDue(now: now) } }

    var nextCallback: Timestamp? { callbacks.withLock { $0.next } }
}

/// The waiting callbacks, by due time. They are in memory only: a callback is a hint and may be lost with the process.
struct CallbackSchedule: Sendable {
    /// Maximum number of waiting callbacks. One more is dropped.
    static let waitingMax = 10_000

    private struct Entry {
        let due: Timestamp
        let chargeKey: String
    }

    /// The callbacks sorted by `due`. Those due together are in the order of adding.
    private var entries: [Entry] = []

    /// Adds a callback.
    ///
    /// - Returns: False when too many callbacks wait, so that this one is dropped.
    @discardableResult
    mutating func add(_ chargeKey: String, due: Timestamp) -> Bool {
        guard entries.count < Self.waitingMax else { return false }
        // Nearly always after the last one, because all have similar delays.
        let position = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        entries.insert(Entry(due: due, chargeKey: chargeKey), at: position)
        return true
    }

    /// Removes and returns due callbacks, in order.
    mutating func takeDue(now: Timestamp) -> [String] {
        let due = entries.prefix { $0.due <= now }
        defer { entries.removeFirst(due.count) }
        return due.map(\.chargeKey)
    }

    /// The time at which the next callback is due, if one waits.
    var next: Timestamp? { entries.first?.due }
}
