import StoreModels

/// Finds the download somebody named among those of an app's unfinished transactions.
enum DownloadLookup {
    /// - Parameter text: the download's identifier or the end of it; or a transaction's, when it has one download.
    /// - Throws: `usage` when several are meant; `notFound` with the nearest one.
    static func find(
        _ text: String, of account: String, among transactions: [PaymentTransaction]
    ) throws(CLIError) -> DownloadTable.Row {
        let rows = DownloadTable.rows(transactions)
        let wanted = text.hasPrefix("…") ? String(text.dropFirst()) : text
        if let exact = rows.first(where: { $0.download.id == wanted }) { return exact }
        let matches = rows.filter {
            !wanted.isEmpty
                && ($0.download.id.hasSuffix(wanted) || Words.name($0.transaction).hasSuffix(wanted)
                    || $0.transaction.id == wanted)
        }
        guard let found = matches.first else { throw unknown(text, wanted, of: account, rows, transactions) }
        guard matches.count == 1 else {
            throw CLIError(
                .usage, "'\(text)' is the end of \(matches.count) downloads",
                hints: ["give more of it: " + matches.prefix(4).map(\.download.id).joined(separator: ", ")])
        }
        return found
    }

    private static func unknown(
        _ text: String, _ wanted: String, of account: String, _ rows: [DownloadTable.Row],
        _ transactions: [PaymentTransaction]
    ) -> CLIError {
        let list = "all of them: storebus download list --as \(account)"
        if let transaction = try? TransactionLookup.find(text, among: transactions) {
            let product = transaction.payment.productIdentifier
            return CLIError(
                CLIErrorCode(.notFound), "\(Words.name(transaction)) has no download: \(product) is no hosted product",
                hints: [list])
        }
        let near = Suggestion.hints(for: wanted, among: rows.map(\.download.id))
        return CLIError(
            CLIErrorCode(.notFound), "\(account) has no download '\(text)' of an unfinished transaction",
            hints: near + [list])
    }
}
