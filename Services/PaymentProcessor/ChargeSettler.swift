import StoreModels

/// What the processor does by itself: approves pending charges when they are due, and sends callbacks.
///
/// It looks at the ledger and not at what it remembers, so a charge that was pending when its process ended is approved
/// by the next one. A callback follows its commit and is a hint: one that is lost is not sent again.
package struct ChargeSettler: Sendable {
    /// Between two rounds at most. Whatever comes in between waits at least as long, so none is late for it.
    package static let interval: Duration = .seconds(1)
    /// Between two rounds at least: what is due may be in the hands of another processor that shares the ledger.
    static let breath: Duration = .milliseconds(20)
    /// Charges approved by one commit.
    static let approvedMax = 256

    let ledger: ChargeLedger
    let publish: @Sendable (ChargeChanged) -> Void

    /// - Parameter publish: sends a callback, ``ProcessorEvents/chargeChanged``.
    package init(ledger: ChargeLedger, publish: @escaping @Sendable (ChargeChanged) -> Void) {
        self.ledger = ledger
        self.publish = publish
    }

    /// Does what is due now.
    /// - Returns: how long to wait for the next round.
    @discardableResult
    package func round() async throws -> Duration {
        let now = ledger.steady
        for chargeKey in ledger.takeDueCallbacks(now: now) { publish(ChargeChanged(chargeKey: chargeKey)) }
        let due = try await ledger.nextPending()
        if let due, due > now + ChargeLedger.pendingTime {
            // Another process wrote it, by a clock that was ahead.
            try await ledger.limitPending(to: now + ChargeLedger.pendingTime)
        } else if let due, due <= now {
            let approved = try await ledger.approveDue(now: now, limit: Self.approvedMax)
            for chargeKey in approved { publish(ChargeChanged(chargeKey: chargeKey)) }
        }
        let next = [try await ledger.nextPending(), ledger.nextCallback].compactMap(\.self).min()
        let wait = next.map { Duration.milliseconds($0.milliseconds - now.milliseconds) } ?? Self.interval
        return min(max(wait, Self.breath), Self.interval)
    }
}
