import StoreModels

/// Looks through everybody's transactions, page by page.
struct TransactionSearch: Sendable {
    let api: StoreAPI
    let filter: Filter
    let isFinished: Bool?
    let now: Timestamp

    /// A search for one transaction ends here; what is older needs its whole identifier's account.
    private static let searchedMax = 20_000

    /// - Returns: at most `limit` rows, and where to go on when there may be more.
    func rows(
        limit: Int, after start: String?
    ) async throws(CLIError) -> (rows: [TransactionTable.Row], after: String?) {
        var rows: [TransactionTable.Row] = []
        var after = start
        repeat {
            let page = try await api.transactions(
                TransactionListRequest(
                    bundleId: filter.exact("bundleId"), account: filter.exact("account"),
                    state: filter.exact("state").flatMap(TransactionState.init), isFinished: isFinished, after: after,
                    limit: min(100, limit - rows.count)))
            rows += Self.rows(page).filter {
                filter.matches($0.transaction, account: $0.account, bundleId: $0.bundleId, now: now)
            }
            after = page.after
        } while after != nil && rows.count < limit
        return (rows, after)
    }

    /// The page's transactions with the records that stand beside them.
    static func rows(_ page: TransactionsPage) -> [TransactionTable.Row] {
        zip(page.transactions, page.records ?? []).map { transaction, record in
            TransactionTable.Row(
                transaction: transaction, account: record.account, bundleId: record.bundleId,
                isFinished: record.isFinished)
        }
    }

    /// The one transaction somebody named.
    /// - Throws: `transactionAmbiguous`, or `notFound` with the nearest one.
    static func find(_ text: String, _ context: CommandContext) async throws(CLIError) -> TransactionTable.Row {
        let search = TransactionSearch(
            api: context.api, filter: try Filter([]), isFinished: nil, now: .wallClock())
        let rows = try await search.rows(limit: searchedMax, after: nil).rows
        let transactions = rows.map(\.transaction)
        guard let found = try TransactionLookup.find(text, among: transactions),
            let row = rows.first(where: { $0.transaction.id == found.id })
        else { throw TransactionLookup.unknown(text, of: nil, among: transactions) }
        return row
    }
}
