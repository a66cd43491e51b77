import Persistence
import StoreModels

/// Refunds, which the sandbox's modes do not affect.
extension ChargeLedger {
    /// Refunds money of an approved charge, once per key. A repeated key gets the recorded refund.
    ///
    /// The charge's row is locked before refunds are summed, so that concurrent refunds, also of several processors,
    /// never exceed the charge together (P10).
    /// - Throws: `requestInvalid`. `details.conflict` is "amount" for more than the rest of the charge and for another
    ///   amount under the key, "charge" for a charge that was not approved and for another charge under the key.
    package func refund(_ request: CreateRefundRequest) async throws -> Refund {
        try checkKey(request.refundKey, "refundKey")
        try checkKey(request.chargeKey)
        guard request.amount.minorUnits > 0 else {
            throw StoreError(.requestInvalid, "amount must be above zero", details: ["path": .string("$.amount")])
        }
        let now = wall()
        let (refund, isNew) = try await database.write { transaction in
            let charge = try await ChargeRepository.lock(request.chargeKey, in: transaction)
            if let known = try await LedgerRefundRepository.find(request.refundKey, in: transaction) {
                return (try Self.same(known, request), false)
            }
            if charge?.outcome == .authorized {
                // Only what was sold is refunded: its capture is on the way.
                _ = try await ChargeRepository.capture([request.chargeKey], in: transaction)
            }
            guard let charge, charge.outcome == .approved || charge.outcome == .authorized, let amount = charge.amount
            else {
                throw Self.conflict("charge", "there is no approved charge '\(request.chargeKey)'")
            }
            let left =
                amount.minorUnits - (try await LedgerRefundRepository.refunded(of: charge.chargeKey, in: transaction))
            guard amount.currency == request.amount.currency, request.amount.minorUnits <= left else {
                throw Self.conflict("amount", "of this charge \(left) minor units of \(amount.currency.code) are left")
            }
            if let written = try await LedgerRefundRepository.insert(request, at: now, in: transaction) {
                return (written, true)
            }
            // Another transaction has just used the key, under another charge's lock.
            guard let known = try await LedgerRefundRepository.find(request.refundKey, in: transaction) else {
                throw PersistenceError(.conflict, "a refund's key was taken by a commit that cannot be seen yet")
            }
            return (try Self.same(known, request), false)
        }
        if isNew { record.note(refund) }
        return refund
    }

    /// Takes a refund back, so that the charge has its money again. A repeated key gets the recorded reversal.
    /// - Throws: `requestInvalid` with `details.conflict` "refund" for a key without a refund.
    package func reverse(_ request: ReverseRefundRequest) async throws -> Refund {
        try checkKey(request.refundKey, "refundKey")
        let now = wall()
        let refund = try await database.write { transaction in
            try await LedgerRefundRepository.reverse(request.refundKey, at: now, in: transaction)
        }
        guard let refund else {
            throw StoreError(
                .requestInvalid, "there is no refund '\(request.refundKey)'",
                details: ["conflict": .string("refund"), "path": .string("$.refundKey")])
        }
        return refund
    }

    /// Lists the refunds in order, as ``list(_:)`` does charges.
    /// - Throws: `requestInvalid`.
    package func listRefunds(_ request: ChargeListRequest) async throws -> RefundsPage {
        let after = try Self.position(request)
        let rows = try await database.read { reader in
            try await LedgerRefundRepository.list(
                after: after, limit: request.limit + 1, bundleId: request.bundleId, in: reader)
        }
        let page = Array(rows.prefix(request.limit))
        return RefundsPage(refunds: page, after: page.count == rows.count ? nil : page.last?.refundIdentifier)
    }

    private static func same(_ known: Refund, _ request: CreateRefundRequest) throws(StoreError) -> Refund {
        guard known.chargeKey.isExactly(request.chargeKey) else {
            throw conflict("charge", "this refundKey is used for another charge")
        }
        guard known.amount == request.amount else {
            throw conflict("amount", "this refundKey is used for another amount")
        }
        return known
    }

    private static func conflict(_ member: String, _ message: String) -> StoreError {
        StoreError(
            .requestInvalid, message,
            details: [
                "conflict": .string(member), "path": .string(member == "charge" ? "$.chargeKey" : "$.amount"),
            ])
    }
}
