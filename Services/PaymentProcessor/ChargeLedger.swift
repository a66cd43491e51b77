import Persistence
import StoreModels

/// The processor itself: charges and tombstones in a ledger of its own, each an fsynced commit before it is answered.
package struct ChargeLedger: Sendable {
    static let chargeKeys = 1...255
    static let pageMax = 500

    let database: any SQLDatabase
    let behavior: any ProcessorBehavior
    let wall: @Sendable () -> Timestamp

    /// - Parameter wall: the processor's own clock. It is another firm's: the apps' business clocks do not move it.
    package init(
        database: any SQLDatabase, behavior: any ProcessorBehavior,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock
    ) {
        self.database = database
        self.behavior = behavior
        self.wall = wall
    }

    /// Charges, once per key. The same key again gets the same answer, a cancelled one `cancelled`.
    /// - Throws: `requestInvalid`; with `details.conflict` "amount" when the key stands for another amount.
    package func create(_ request: CreateChargeRequest) async throws -> Charge {
        try checkKey(request.chargeKey)
        guard request.amount.minorUnits > 0 else {
            throw StoreError(.requestInvalid, "amount must be above zero", details: ["path": .string("$.amount")])
        }
        try await behavior.beforeCharge(request)
        let now = wall()
        let charge = try await database.write { transaction in
            if let known = try await ChargeRepository.find(request.chargeKey, in: transaction) { return known }
            return try await ChargeRepository.insert(request, behavior.decide(request), at: now, in: transaction)
        }
        if let amount = charge.amount, amount != request.amount {
            throw StoreError(
                .requestInvalid, "this chargeKey stands for another amount",
                details: ["conflict": .string("amount"), "path": .string("$.amount")])
        }
        try await behavior.afterCharge(request)
        return charge
    }

    /// Gives a charge up: leaves a tombstone where there is none yet, and otherwise answers what stands.
    /// - Throws: `requestInvalid`.
    package func cancel(_ request: CancelChargeRequest) async throws -> Charge {
        try checkKey(request.chargeKey)
        let now = wall()
        return try await database.write { transaction in
            if let known = try await ChargeRepository.find(request.chargeKey, in: transaction) { return known }
            return try await ChargeRepository.insertTombstone(request.chargeKey, at: now, in: transaction)
        }
    }

    /// The ledger in order; 500 charges stay far below the 512 KiB of a reply.
    /// - Throws: `requestInvalid`.
    package func list(_ request: ChargeListRequest) async throws -> ChargesPage {
        guard (1...Self.pageMax).contains(request.limit) else {
            throw StoreError(
                .requestInvalid, "limit must be 1 to \(Self.pageMax), not \(request.limit)",
                details: ["path": .string("$.limit")])
        }
        guard let after = Int64(request.after ?? "0") else {
            throw StoreError(
                .requestInvalid, "'after' is no charge identifier", details: ["path": .string("$.after")])
        }
        let rows = try await database.read { reader in
            try await ChargeRepository.list(after: after, limit: request.limit + 1, in: reader)
        }
        let page = Array(rows.prefix(request.limit))
        return ChargesPage(charges: page, after: page.count == rows.count ? nil : page.last?.chargeIdentifier)
    }

    private func checkKey(_ key: String) throws(StoreError) {
        guard Self.chargeKeys.contains(key.utf8.count) else {
            throw StoreError(
                .requestInvalid, "chargeKey must have 1 to 255 bytes", details: ["path": .string("$.chargeKey")])
        }
    }
}
