import StoreModels

/// Transactions as `storebus tx list` shows them.
enum TransactionTable {
    /// A transaction with what the store's operator sees of it beside the customer's own view.
    struct Row: Hashable, Sendable {
        var transaction: PaymentTransaction
        var account: String
        var bundleId: String
        var isFinished: Bool

        /// The transaction's own members and the three beside it.
        var json: JSONValue {
            var members = JSONText.value(transaction).objectValue ?? [:]
            members["account"] = .string(account)
            members["bundleId"] = .string(bundleId)
            members["isFinished"] = .bool(isFinished)
            return .object(members)
        }
    }

    static func table(_ rows: [Row]) -> Table {
        let hasSeveralApps = Set(exactly: rows.map(\.bundleId)).count > 1
        var table = Table(
            [.init("TRANSACTION"), .init("ACCOUNT")] + (hasSeveralApps ? [.init("APP")] : []) + [
                .init("PRODUCT"), .init("STATE", isState: true), .init("FINISHED"), .init("SENT", .right),
                .init("PRICE", .right), .init("DATE"), .init("REMARKS"),
            ])
        for row in rows {
            let transaction = row.transaction
            table.add(
                [Words.name(transaction), row.account] + (hasSeveralApps ? [row.bundleId] : []) + [
                    transaction.payment.productIdentifier,
                    transaction.transactionState.rawValue, row.isFinished ? "yes" : "no", "\(transaction.deliveries)",
                    transaction.price.map(Words.price) ?? "-", transaction.transactionDate.map(Words.time) ?? "-",
                    Words.remarks(transaction),
                ])
        }
        return table
    }

    /// What is useful after having seen them.
    static func next(_ rows: [Row]) -> String {
        guard let first = rows.first else { return "storebus buy PRODUCT --as alice" }
        guard let unfinished = rows.first(where: { !$0.isFinished }) else {
            return "storebus tx show \(Words.name(first.transaction))"
        }
        return Words.finish(unfinished.transaction, as: unfinished.account)
    }
}

/// One transaction as `storebus tx show` shows it.
struct TransactionFacts: Sendable {
    let row: TransactionTable.Row

    init(row: TransactionTable.Row) { self.row = row }

    var answer: Answer {
        Answer(data: row.json, names: [Words.name(row.transaction)], next: next) { [self] in facts.text($0) }
            .about(row.bundleId)
    }

    private var facts: Facts {
        let transaction = row.transaction
        var facts = Facts()
        facts.add("transaction", Words.name(transaction))
        facts.add("id", transaction.id)
        facts.add("state", transaction.transactionState.rawValue, isState: true)
        facts.add("finished", row.isFinished ? "yes" : "no")
        facts.add("sent", Words.count(transaction.deliveries, "time"))
        facts.add("account", row.account)
        facts.add("app", row.bundleId)
        facts.add("device", transaction.originDeviceId)
        facts.add("product", transaction.payment.productIdentifier)
        facts.add("quantity", "\(transaction.payment.quantity)")
        facts.add("price", transaction.price.map(Words.price))
        facts.add("date", transaction.transactionDate.map(Words.time))
        facts.add("original", transaction.originalTransactionIdentifier)
        let remarks = Words.remarks(transaction)
        facts.add("remarks", remarks.isEmpty ? nil : remarks)
        facts.add("error", transaction.error?.localizedDescription)
        for download in transaction.downloads {
            facts.add("download", DownloadTable.line(download))
        }
        facts.add("key", transaction.payment.requestIdentifier)
        return facts
    }

    private var next: String {
        row.isFinished
            ? "storebus tx list --as \(row.account)"
            : "storebus why \(Words.name(row.transaction))"
    }
}
