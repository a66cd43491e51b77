import BusService
import Persistence
import StoreModels

/// Reads what observers deliver: the unfinished queue, the journal behind a position, and the journals' ends.
struct QueueReader: Sendable {
    static let pageMax = 100

    let database: any SQLDatabase
    private let turns = KeyedLock<Turn>()

    /// What is done one at a time, so that a client that opens streams again and again waits for its own pages: other
    /// customers' purchases find a reader free, and share a commit with one page at most.
    private enum Turn: Hashable {
        /// Reading and counting a page of a stream that opens.
        case opening(of: CustomerReference)
        /// Writing the deliveries of a page, up to 100 rows.
        case deliveries
    }

    init(database: any SQLDatabase) { self.database = database }

    /// The device's unfinished transactions with the journal position they were read at, from one database snapshot,
    /// and the ends of the device's restores and the revocations that no stream has written yet.
    ///
    /// A customer's streams that open get a page each in turn.
    /// - Parameter deadline: The instant the caller stops waiting; a page whose turn comes after it is not read.
    /// - Throws: `requestInvalid`; `notFound` for an unknown customer, or an `after` that is not the customer's;
    ///   `deadlineExceeded`.
    func snapshot(_ request: SnapshotRequest, deadline: ContinuousClock.Instant) async throws -> Snapshot {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard request.opening != nil else { return try await read(request) }
        return try await turns.withLock(.opening(of: request.customer)) {
            guard .now < deadline else {
                throw StoreError(.deadlineExceeded, "too many streams of this customer open at once")
            }
            return try await read(request)
        }
    }

    private func read(_ request: SnapshotRequest) async throws -> Snapshot {
        let id = request.customer
        var (page, isFirst) = try await database.read { reader in
            guard let customer = try await CustomerRepository.find(id, in: reader) else { throw Self.unknown }
            return try await Self.page(request, of: customer, in: reader)
        }
        if isFirst {
            // The device is notified of revocations from this position on.
            let seq = page.seq
            try await database.write { transaction in
                try await RevocationRepository.see(through: seq, of: id, deviceId: request.deviceId, in: transaction)
            }
        }
        guard request.countsDelivery, !page.transactions.isEmpty else { return page }
        try await turns.withLock(.deliveries) { try await count(page.transactions.map(\.id), of: id) }
        for index in page.transactions.indices { page.transactions[index].deliveries += 1 }
        return page
    }

    /// Adds one to the deliveries of a customer's transactions (M51); those deleted meanwhile are passed over.
    private func count(_ identifiers: [String], of customer: CustomerReference) async throws {
        try await database.write { transaction in
            guard try await CustomerRepository.lock(customer, in: transaction) != nil else { return }
            try await TransactionRepository.countDelivery(of: identifiers, customer, in: transaction)
        }
    }

    private static let unknown = StoreError(.notFound, "no such customer")

    /// A page, and whether it is the first that could tell the device of revocations.
    private static func page(
        _ request: SnapshotRequest, of customer: Customer, in reader: SQLReader
    ) async throws -> (Snapshot, isFirst: Bool) {
        let place = try await place(of: request, customer.id, in: reader)
        let rows = try await rows(behind: place, request, of: customer, in: reader)
        let shown = try await DownloadRepository.view(
            Array(rows.prefix(request.limit)), deviceId: request.deviceId, in: reader)
        let page = try ReplyBudget.fitting(shown.map(\.transaction))
        let isLast = page.count == rows.count
        // A list's readers come for its end; a stream's position is its first page's.
        guard request.opening.map({ _ in request.after == nil }) ?? isLast else {
            return (
                Snapshot(transactions: page, seq: customer.headSeq, after: isLast ? nil : after(page, rows, request)),
                isFirst: false
            )
        }
        let restores = try await RestoreRepository.unacknowledged(
            of: customer.id, deviceId: request.deviceId, limit: Self.pageMax, in: reader)
        let revocations = try await RevocationRepository.unseen(
            of: customer.id, deviceId: request.deviceId, in: reader)
        let snapshot = Snapshot(
            transactions: page, seq: customer.headSeq, after: isLast ? nil : after(page, rows, request),
            restores: restores, revocations: revocations ?? [])
        return (snapshot, isFirst: revocations == nil)
    }

    /// What the next page is asked for with: it outlives the transactions of a stream's pages, which may be deleted
    /// before the next page is read.
    private static func after(
        _ page: [PaymentTransaction], _ rows: [StoredTransaction], _ request: SnapshotRequest
    ) -> String? {
        guard request.opening != nil, let last = rows.prefix(page.count).last else { return page.last?.id }
        return
            (last.transaction.transactionState == .purchasing
            ? StreamPlace.underWay(after: last.createdSeq) : .rest(after: last.createdSeq)).text
    }

    /// Where a page begins; the transaction it begins behind may have been finished since.
    private static func place(
        of request: SnapshotRequest, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> StreamPlace {
        guard let after = request.after else { return request.opening == nil ? .rest(after: 0) : .underWay(after: 0) }
        if request.opening != nil, let place = StreamPlace(after) { return place }
        guard let stored = try await TransactionRepository.find(after, of: customer, in: reader) else {
            throw StoreError(.notFound, "'after' is no transaction of this customer")
        }
        return .rest(after: stored.createdSeq)
    }

    /// One row more than the page has, so that its reader knows whether another follows.
    private static func rows(
        behind place: StreamPlace, _ request: SnapshotRequest, of customer: Customer, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let (id, wanted) = (customer.id, request.limit + 1)
        guard let opening = request.opening else {
            return try await TransactionRepository.unfinished(
                of: id, deviceId: request.deviceId, after: place.seq, limit: wanted, in: reader)
        }
        let through = opening.through ?? customer.headSeq
        var rows: [StoredTransaction] = []
        var behind = place.seq
        if case .underWay(let after) = place {
            rows = try await TransactionRepository.underWay(
                of: id, deviceId: request.deviceId, after: after, through: through, limit: wanted, in: reader)
            behind = 0
        }
        if rows.count < wanted {
            rows += try await TransactionRepository.ended(
                of: id, deviceId: request.deviceId, after: behind, through: through, limit: wanted - rows.count,
                in: reader)
        }
        return rows
    }

    /// The journal behind `after`. A reader who is ahead of the journal holds a position of another database, and one
    /// who is behind its beginning has missed what was pruned: both take a snapshot.
    /// - Throws: `requestInvalid`; `notFound` for an unknown customer.
    func changes(_ request: ChangesRequest) async throws -> ChangesReply {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let id = request.customer
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

    /// Returns each customer's last journal row and storefront.
    /// - Throws: `requestInvalid` for more than 500 customers.
    func heads(_ request: HeadsRequest) async throws -> HeadsReply {
        guard request.customers.count <= HeadsRequest.customersMax else {
            throw StoreError(.requestInvalid, "at most \(HeadsRequest.customersMax) customers a request")
        }
        let known = try await database.read { reader in
            try await CustomerRepository.heads(request.customers, in: reader)
        }
        let heads = request.customers.map {
            known[CustomerReference(bundleId: $0.bundleId, customerIdentifier: $0.customerIdentifier)]
        }
        return HeadsReply(heads: heads.map { $0?.seq ?? 0 }, storefronts: heads.map { $0?.storefront ?? "" })
    }
}

/// Where a page of an opening stream begins: among the device's own purchases under way, or among the rest.
private enum StreamPlace {
    case underWay(after: Int64)
    case rest(after: Int64)

    private static let underWayPrefix = "purchasing:"
    private static let restPrefix = "rest:"

    /// - Returns: Nil for what ``text`` has not written, such as a transaction's identifier.
    init?(_ text: String) {
        if text.hasPrefix(Self.underWayPrefix), let seq = Int64(text.dropFirst(Self.underWayPrefix.count)) {
            self = .underWay(after: seq)
        } else if text.hasPrefix(Self.restPrefix), let seq = Int64(text.dropFirst(Self.restPrefix.count)) {
            self = .rest(after: seq)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .underWay(let seq): "\(Self.underWayPrefix)\(seq)"
        case .rest(let seq): "\(Self.restPrefix)\(seq)"
        }
    }

    var seq: Int64 {
        switch self {
        case .underWay(let seq), .rest(let seq): seq
        }
    }
}
