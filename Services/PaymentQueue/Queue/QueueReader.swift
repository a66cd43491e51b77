import Persistence
import StoreModels

/// What observers read: the unfinished queue, the journal behind a position, and where the journals stand.
package struct QueueReader: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase

    package init(database: any SQLDatabase) { self.database = database }

    /// The device's unfinished transactions with the journal position they were read at, from one database snapshot.
    /// - Throws: `requestInvalid`; `notFound` for an unknown customer, or an `after` that is none of theirs.
    package func snapshot(_ request: SnapshotRequest) async throws -> Snapshot {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let seen = try await database.read { reader in try await Self.page(request, in: reader) }
        guard request.countsDelivery, !seen.page.isEmpty else { return Self.reply(seen) }
        let counted = try await database.write { transaction in
            // Counted first and read then, in the one transaction, so that the page shows its own delivery.
            let page = try await Self.page(request, in: transaction)
            try await TransactionRepository.countDelivery(of: page.page, in: transaction)
            return try await Self.page(request, in: transaction)
        }
        return Self.reply(counted)
    }

    private struct Page: Sendable {
        var page: [StoredTransaction]
        var seq: Int64
        var isLast: Bool
    }

    private static func page(_ request: SnapshotRequest, in reader: SQLReader) async throws -> Page {
        let id = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        guard let customer = try await CustomerRepository.find(id, in: reader) else {
            throw StoreError(.notFound, "no such customer")
        }
        var after: Int64 = 0
        if let last = request.after { after = try await position(last, of: id, in: reader).createdSeq }
        let rows = try await TransactionRepository.unfinished(
            of: id, deviceId: request.deviceId, after: after, limit: request.limit + 1, in: reader)
        let page = try ReplyBudget.fitting(Array(rows.prefix(request.limit))) {
            try StoreJSON.encode($0.transaction).count
        }
        return Page(page: page, seq: customer.headSeq, isLast: page.count == rows.count)
    }

    private static func reply(_ page: Page) -> Snapshot {
        Snapshot(
            transactions: page.page.map(\.transaction), seq: page.seq, after: page.isLast ? nil : page.page.last?.id)
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
        let known = try await database.read { reader in try await CustomerRepository.heads(request.customers, in: reader) }
        let heads = request.customers.map {
            known[CustomerID(bundleId: $0.bundleId, customerIdentifier: $0.customerIdentifier)]
        }
        return HeadsReply(heads: heads.map { $0?.seq ?? 0 }, storefronts: heads.map { $0?.storefront ?? "" })
    }
}
