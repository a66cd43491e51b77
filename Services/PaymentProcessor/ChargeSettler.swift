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
