import Logging
import Metrics
import StoreModels

/// Logs and counts the ledger's decisions: a line at info and an increment for each.
struct LedgerRecord: Sendable {
    private let logger: Logger
    private let charges: [Charge.Outcome: Counter]
    private let refunds: Counter

    /// - Parameter factory: The metrics factory, or nil for the process-wide one.
    init(logger: Logger, factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        self.logger = logger
        charges = Dictionary(
            uniqueKeysWithValues: [Charge.Outcome.approved, .declined, .cancelled, .pending, .authorized].map {
                outcome in
                let labels = [("outcome", outcome.rawValue)]
                return (outcome, Counter(label: "storebus_charges_total", dimensions: labels, factory: factory))
            })
        refunds = Counter(label: "storebus_refunds_total", dimensions: [], factory: factory)
    }

    /// Records a charge that is new or has a new outcome.
    func note(_ charge: Charge) {
        var metadata: Logger.Metadata = ["charge": "\(charge.chargeKey)"]
        if let amount = charge.amount { metadata["amount"] = "\(amount.amount) \(amount.currency.code)" }
        if let reason = charge.declineReason { metadata["reason"] = "\(reason)" }
        note(charge.outcome, metadata)
    }

    /// Records the approval of a pending charge, or the capture of an authorized one.
    func noteApproval(of chargeKey: String) { note(.approved, ["charge": "\(chargeKey)"]) }

    func note(_ refund: Refund) {
        refunds.increment()
        logger.info(
            "charge refunded",
            metadata: [
                "charge": "\(refund.chargeKey)", "refund": "\(refund.refundKey)",
                "amount": "\(refund.amount.amount) \(refund.amount.currency.code)",
            ])
    }

    private func note(_ outcome: Charge.Outcome, _ metadata: Logger.Metadata) {
        charges[outcome]?.increment()
        // An authorization is followed by its capture, or by nothing.
        logger.log(level: outcome == .authorized ? .debug : .info, "charge \(outcome.rawValue)", metadata: metadata)
    }
}
