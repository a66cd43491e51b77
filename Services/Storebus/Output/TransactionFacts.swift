import StoreModels

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
