import BusService
import Persistence
import StoreModels

/// What observers read: the unfinished queue, the journal behind a position, and where the journals stand.
package struct QueueReader: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    package init(database: any SQLDatabase) { self.database = database }

    /// The device's unfinished transactions with the journal position they were read at, from one database snapshot; with
    /// the last page the ends of the device's restores and the revocations that no stream has written yet.
    /// - Throws: `requestInvalid`; `notFound` for an unknown customer, or an `after` that is none of theirs.
    package func snapshot(_ request: SnapshotRequest) async throws -> Snapshot {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let id = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        let (seen, isFirst) = try await database.read { reader in
            guard let customer = try await CustomerRepository.find(id, in: reader) else { throw Self.unknown }
            return try await Self.page(request, of: customer, in: reader)
        }
        if isFirst {
            // From here on this device is told what the customer loses.
            try await database.write { transaction in
                try await RevocationRepository.see(
                    through: seen.seq, of: id, deviceId: request.deviceId, in: transaction)
            }
        }
        guard request.countsDelivery, !seen.transactions.isEmpty else { return seen }
        return try await database.write { transaction in
            // Under the customer's lock nobody else counts or changes anything between the two statements.
            guard let (customer, _) = try await CustomerRepository.lock(id, in: transaction) else { throw Self.unknown }
            var (page, _) = try await Self.page(request, of: customer, in: transaction)
            try await TransactionRepository.countDelivery(of: page.transactions.map(\.id), id, in: transaction)
            for index in page.transactions.indices { page.transactions[index].deliveries += 1 }
            return page
        }
    }

    private static let unknown = StoreError(.notFound, "no such customer")

    /// A page, and whether it is the first the device ever gets to its end.
    private static func page(
        _ request: SnapshotRequest, of customer: Customer, in reader: SQLReader
    ) async throws -> (Snapshot, isFirst: Bool) {
        var after: Int64 = 0
        if let last = request.after { after = try await position(last, of: customer.id, in: reader).createdSeq }
        let rows = try await TransactionRepository.unfinished(
            of: customer.id, deviceId: request.deviceId, after: after, limit: request.limit + 1, in: reader)
        let shown = try await DownloadRepository.view(
            Array(rows.prefix(request.limit)), deviceId: request.deviceId, in: reader)
        let page = try ReplyBudget.fitting(shown.map(\.transaction))
        let isLast = page.count == rows.count
        let restores =
            isLast
            ? try await RestoreRepository.unacknowledged(
                of: customer.id, deviceId: request.deviceId, limit: Self.pageMax, in: reader) : []
        let revocations =
            isLast
            ? try await RevocationRepository.unseen(of: customer.id, deviceId: request.deviceId, in: reader) : []
        let snapshot = Snapshot(
            transactions: page, seq: customer.headSeq, after: isLast ? nil : page.last?.id, restores: restores,
            revocations: revocations ?? [])
        return (snapshot, isFirst: revocations == nil)
    }

    /// The transaction a page begins behind; it may have been finished since.
    private static func position(_ id: String, of customer: CustomerID, in reader: SQLReader) async throws
        -> StoredTransaction
    {
        guard let stored = try await TransactionRepository.find(id, of: customer, in: reader) else {
            throw StoreError(.notFound, "'after' is no transaction of this customer")
        }
        return stored
    }

    /// The journal behind `after`. A reader who is ahead of the journal holds a position of another database, and one
    /// who is behind its beginning has missed what was pruned: both take a snapshot.
    /// - Throws: `requestInvalid`; `notFound` for an unknown customer.
    package func changes(_ request: ChangesRequest) async throws -> ChangesReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let id = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
            guard let customer = try await CustomerRepository.find(id, in: reader) else {
                throw StoreError(.notFound, "no such customer")
            }
            guard (customer.prunedSeq...customer.headSeq).contains(request.after) else {
                return ChangesReply(changes: [], head: customer.headSeq, snapshotRequired: true)
            }
            let changes = try await JournalRepository.changes(
                of: id, after: request.after, limit: request.limit, in: reader)
            return ChangesReply(
                changes: try ReplyBudget.fitting(changes), head: customer.headSeq, snapshotRequired: false)
        }
    }

    /// Where each customer's journal stands, and the customer's storefront.
    /// - Throws: `requestInvalid` for more than 500 customers.
    package func heads(_ request: HeadsRequest) async throws -> HeadsReply {
        guard request.customers.count <= HeadsRequest.customersMax else {
            throw StoreError(.requestInvalid, "at most \(HeadsRequest.customersMax) customers a request")
        }
        let known = try await database.read { reader in
            try await CustomerRepository.heads(request.customers, in: reader)
        }
        let heads = request.customers.map {
            known[CustomerID(bundleId: $0.bundleId, customerIdentifier: $0.customerIdentifier)]
        }
        return HeadsReply(heads: heads.map { $0?.seq ?? 0 }, storefronts: heads.map { $0?.storefront ?? "" })
    }
}
