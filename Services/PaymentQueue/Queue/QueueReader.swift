import BusService
import Persistence
import StoreModels

/// Reads the rows that observers deliver: the unfinished queue, later journal rows, and each journal's end.
struct QueueReader: QueuePart {
    /// Maximum number of transactions or changes in one page.
    static let pageMax = 100

    let context: QueueContext
    private let turns = KeyedLock<Turn>()

    /// Names work that runs one at a time.
    ///
    /// A client that opens streams repeatedly waits for its own pages. Other customers' purchases find a free reader,
    /// and share a commit with at most one page.
    private enum Turn: Hashable {
        /// Reading a page of an opening stream and counting its deliveries.
        case opening(of: CustomerReference)
        /// Writing a page's deliveries, up to 100 rows.
        case deliveries
    }

    /// Reads a page of the device's unfinished transactions and its journal position from one snapshot.
    ///
    /// The page also has the ends of the device's restores and the revocations that no stream has delivered yet.
    /// Opening streams of one customer get their pages one after the other.
    /// - Parameter deadline: The caller's deadline. A page whose turn comes later is not read.
    /// - Throws: `requestInvalid`, `notFound` for an unknown customer or an `after` that is not the customer's, or
    ///   `deadlineExceeded`.
    func snapshot(
        _ request: SnapshotRequest, deadline: ContinuousClock.Instant
    ) async throws -> SnapshotOf<TransactionJSON> {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard request.opening != nil else { return try await read(request) }
        return try await turns.withLock(.opening(of: request.customer)) {
            guard .now < deadline else {
                throw StoreError(.deadlineExceeded, "too many streams of this customer open at once")
            }
            return try await read(request)
        }
    }

    private func read(_ request: SnapshotRequest) async throws -> SnapshotOf<TransactionJSON> {
        let id = request.customer
        var (page, isFirst) = try await database.read { reader in
            guard let customer = try await CustomerRepository.find(id, in: reader) else { throw Self.unknown }
            return try await Self.page(request, of: customer, in: reader)
        }
        if isFirst {
            // Later revocations are sent to the device.
            let seq = page.seq
            try await database.write { transaction in
                try await RevocationRepository.see(through: seq, of: id, deviceId: request.deviceId, in: transaction)
            }
        }
        guard request.countsDelivery, !page.transactions.isEmpty else { return page }
        try await turns.withLock(.deliveries) { try await count(page.transactions.map(\.id), of: id) }
        page.transactions = page.transactions.map { transaction in
            guard case .value(var value) = transaction else { return transaction }
            value.deliveries += 1
            return .value(value)
        }
        return page
    }

    /// Adds one to the deliveries of a customer's transactions (M51). Skips transactions deleted meanwhile.
    private func count(_ identifiers: [String], of customer: CustomerReference) async throws {
        do {
            _ = try await commits.commit(customer) { state in
                for change in TransactionRepository.countDelivery(of: identifiers, customer) { state.write(change) }
            }
        } catch let error as StoreError {
            // The customer was removed with its store.
            guard error.code == .notFound else { throw error }
        }
    }

    private static let unknown = StoreError(.notFound, "no such customer")

    /// Reads a page, and whether the device receives revocations for the first time.
    private static func page(
        _ request: SnapshotRequest, of customer: Customer, in reader: SQLReader
    ) async throws -> (SnapshotOf<TransactionJSON>, isFirst: Bool) {
        let start = try await start(of: request, customer.id, in: reader)
        if request.opening == nil, !request.countsDelivery,
            let list = try await storedList(
                TransactionRepository.startUnfinishedJSON(
                    of: customer.id, deviceId: request.deviceId, after: start.seq, limit: request.limit + 1,
                    in: reader), limit: request.limit)
        {
            return try await Self.page(
                list.transactions, isLast: list.after == nil, after: list.after, request, of: customer, in: reader)
        }
        let rows = try await rows(behind: start, request, of: customer, in: reader)
        let shown = try await DownloadRepository.view(
            Array(rows.prefix(request.limit)), deviceId: request.deviceId, in: reader)
        let page = try ReplyBudget.fitting(shown.map(\.transaction))
        let isLast = page.count == rows.count
        return try await Self.page(
            page.map { .value($0) }, isLast: isLast, after: isLast ? nil : after(page, rows, request), request,
            of: customer, in: reader)
    }

    /// Reads a list's page as it is stored.
    /// - Returns: Nil when a transaction has downloads.
    private static func storedList(
        _ started: StartedQuery, limit: Int
    ) async throws -> (transactions: [TransactionJSON], after: String?)? {
        guard let rows = try await TransactionRepository.unfinishedJSON(started) else { return nil }
        let page = try ReplyBudget.fitting(Array(rows.prefix(limit))) { row in try row.byteCount }
        return (page, page.count == rows.count ? nil : page.last?.id)
    }

    /// Reads lists of several devices from one snapshot, each as the gateway responds with it.
    /// - Returns: Those of the first ones, at least one, as many as fit a reply. Nil in place of one that
    ///   ``snapshot(_:deadline:)`` refuses, and of one with downloads.
    /// - Throws: `requestInvalid`.
    func unfinished(_ request: UnfinishedListsRequest) async throws -> UnfinishedLists {
        try request.validate()
        let lists = try await database.read { reader in
            var room = ReplyBudget.bytesMax
            var isFirst = true
            return try await reader.pipelined(request.lists) { list in
                try await Self.start(list, in: reader)
            } finish: { started -> RequestedList? in
                var list = RequestedList()
                if let started { list = try await Self.finish(started) }
                room -= (list.page?.count ?? 0) + 16
                guard room >= 0 || isFirst else { return nil }
                isFirst = false
                return list
            }
        }
        let new = lists.compactMap(\.new)
        if !new.isEmpty {
            // Later revocations are sent to these devices.
            try await database.write { transaction in
                for device in new {
                    try await RevocationRepository.see(
                        through: device.seq, of: device.customer, deviceId: device.deviceId, in: transaction)
                }
            }
        }
        return UnfinishedLists(pages: lists.map(\.page))
    }

    /// A device without stored revocations, and the customer's last journal row.
    private struct NewDevice: Sendable {
        let customer: CustomerReference
        let deviceId: String
        let seq: Int64
    }

    /// The started queries of one list.
    private struct StartedList {
        let request: SnapshotRequest
        let device: StartedQuery
        let transactions: StartedQuery
    }

    /// One list of several. Without a page it is asked for alone.
    private struct RequestedList: Sendable {
        var page: ArraySlice<UInt8>?
        var new: NewDevice?
    }

    private static func start(_ request: SnapshotRequest, in reader: SQLReader) async throws -> StartedList? {
        guard (1...pageMax).contains(request.limit) else { return nil }
        let customer = request.customer
        var start: Int64 = 0
        if let after = request.after {
            let known = try await reader.read(TransactionRepository.find(after, of: customer))
            guard let known else { return nil }
            start = known.createdSeq
        }
        return try await StartedList(
            request: request,
            device: RevocationRepository.startDevice(request.deviceId, of: customer, in: reader),
            transactions: TransactionRepository.startUnfinishedJSON(
                of: customer, deviceId: request.deviceId, after: start, limit: request.limit + 1, in: reader))
    }

    private static func finish(_ started: StartedList) async throws -> RequestedList {
        let request = started.request
        guard let device = try await started.device.first(),
            let list = try await storedList(started.transactions, limit: request.limit)
        else { return RequestedList() }
        let page = try TransactionJSON.page(list.transactions, after: list.after)[...]
        let isNew = try device["seen_seq"] as Int64? == nil
        // A list's revocations would come with its last page.
        guard isNew, list.after == nil else { return RequestedList(page: page) }
        return RequestedList(
            page: page,
            new: NewDevice(customer: request.customer, deviceId: request.deviceId, seq: try device["head_seq"]))
    }

    /// Adds the ends of restores and the revocations that the device has not seen.
    private static func page(
        _ transactions: [TransactionJSON], isLast: Bool, after: String?, _ request: SnapshotRequest,
        of customer: Customer, in reader: SQLReader
    ) async throws -> (SnapshotOf<TransactionJSON>, isFirst: Bool) {
        // A list's restores and revocations come with its last page, a stream's with its first.
        guard request.opening.map({ _ in request.after == nil }) ?? isLast else {
            return (SnapshotOf(transactions: transactions, seq: customer.headSeq, after: after), isFirst: false)
        }
        let restores = try await RestoreRepository.unacknowledged(
            of: customer.id, deviceId: request.deviceId, limit: Self.pageMax, in: reader)
        let revocations = try await RevocationRepository.unseen(
            of: customer.id, deviceId: request.deviceId, in: reader)
        let snapshot = SnapshotOf(
            transactions: transactions, seq: customer.headSeq, after: after, restores: restores,
            revocations: revocations ?? [])
        return (snapshot, isFirst: revocations == nil)
    }

    /// Returns the `after` of the next page.
    ///
    /// A stream's is a place instead of an identifier, because its transactions may be deleted before the next page is
    /// read.
    private static func after(
        _ page: [PaymentTransaction], _ rows: [StoredTransaction], _ request: SnapshotRequest
    ) -> String? {
        guard request.opening != nil, let last = rows.prefix(page.count).last else { return page.last?.id }
        return
            (last.transaction.transactionState == .purchasing
            ? StreamPosition.underWay(after: last.createdSeq) : .rest(after: last.createdSeq)).text
    }

    /// Finds the place where a page begins. The transaction before it may have been finished since.
    private static func start(
        of request: SnapshotRequest, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> StreamPosition {
        guard let after = request.after else { return request.opening == nil ? .rest(after: 0) : .underWay(after: 0) }
        if request.opening != nil, let start = StreamPosition(after) { return start }
        guard let stored = try await reader.read(TransactionRepository.find(after, of: customer)) else {
            throw StoreError(.notFound, "'after' is not a transaction of this customer")
        }
        return .rest(after: stored.createdSeq)
    }

    /// Reads one row more than the page has, which shows whether another page follows.
    private static func rows(
        behind start: StreamPosition, _ request: SnapshotRequest, of customer: Customer, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let (id, wanted) = (customer.id, request.limit + 1)
        guard let opening = request.opening else {
            return try await TransactionRepository.unfinished(
                of: id, deviceId: request.deviceId, after: start.seq, limit: wanted, in: reader)
        }
        let through = opening.through ?? customer.headSeq
        var rows: [StoredTransaction] = []
        var behind = start.seq
        if case .underWay(let after) = start {
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

    /// Reads the journal after `after`.
    ///
    /// A reader ahead of the journal has a position of another database, and one behind its beginning has missed pruned
    /// rows. Both take a snapshot.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
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

extension RevocationRepository {
    /// Starts to read a customer's last journal row and a device's revocation position. The position is null without
    /// one.
    fileprivate static func startDevice(
        _ deviceId: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.start(
            """
            SELECT c.head_seq, s.seq AS seen_seq FROM customer c
            LEFT JOIN revocation_seen s ON s.bundle_id = c.bundle_id
                AND s.customer_identifier = c.customer_identifier AND s.device_id = ?
            WHERE c.bundle_id = ? AND c.customer_identifier = ?
            """, deviceId, customer.bundleId, customer.customerIdentifier)
    }
}

/// The place where a page of an opening stream begins: among purchases in progress, or the rest.
private enum StreamPosition {
    case underWay(after: Int64)
    case rest(after: Int64)

    private static let underWayPrefix = "purchasing:"
    private static let restPrefix = "rest:"

    /// Reads a place that ``text`` has written.
    /// - Returns: Nil for any other text, such as a transaction's identifier.
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
