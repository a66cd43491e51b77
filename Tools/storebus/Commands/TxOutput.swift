import StoreModels

/// Transactions as `storebus tx list` shows them.
enum TransactionTable {
    /// A transaction with its account, app and completion, as the operator sees it.
    struct Row: Hashable, Sendable {
        var transaction: PaymentTransaction
        var account: String
        var bundleId: String
        var isFinished: Bool

        /// The transaction's members with account, app and completion.
        var json: JSONValue {
            JSONText.value(transaction).with([
                "account": .string(account),
                "bundleId": .string(bundleId),
                "isFinished": .bool(isFinished),
            ])
        }
    }

    static func table(_ rows: [Row]) -> Table {
        let hasSeveralApps = Set(exactly: rows.map(\.bundleId)).count > 1
        let app: [Table.Column] = hasSeveralApps ? ["APP"] : []
        let facts: [Table.Column] = [
            "PRODUCT", .state("STATE"), "FINISHED", .right("SENT"), .right("PRICE"), "DATE", "REMARKS",
        ]
        return Table(["TRANSACTION", "ACCOUNT"] + app + facts, rows) { row in
            let transaction = row.transaction
            return [Format.name(transaction), row.account] + (hasSeveralApps ? [row.bundleId] : []) + [
                transaction.payment.productIdentifier, transaction.shownState,
                row.isFinished ? "yes" : "no", "\(transaction.deliveries)",
                transaction.price.map(Format.price) ?? "-", transaction.transactionDate.map(Format.time) ?? "-",
                Format.remarks(transaction),
            ]
        }
    }

    /// The next command after them.
    static func next(_ rows: [Row]) -> Advice {
        guard let first = rows.first else { return "storebus product list" }
        guard let unfinished = rows.first(where: { !$0.isFinished }) else {
            return "storebus tx show \(Format.name(first.transaction))"
        }
        return Format.next(unfinished.transaction, as: unfinished.account)
    }
}

extension TransactionTable.Row {
    init(transaction: PaymentTransaction, record: TransactionsPage.Record) {
        self.init(
            transaction: transaction, account: record.account, bundleId: record.bundleId,
            isFinished: record.isFinished)
    }
}

/// One transaction as `storebus tx show` shows it.
struct TransactionInfo: Sendable {
    let row: TransactionTable.Row

    var result: CommandResult {
        CommandResult(fields, data: row.json, names: [Format.name(row.transaction)], next: next)
            .about(row.bundleId)
    }

    private var fields: FieldList {
        let transaction = row.transaction
        let remarks = Format.remarks(transaction)
        var fields: FieldList = [
            "transaction": Format.name(transaction), "id": transaction.id,
            "state": transaction.shownState, "finished": row.isFinished ? "yes" : "no",
            "sent": Format.count(transaction.deliveries, "time"), "account": row.account, "app": row.bundleId,
            "device": transaction.originDeviceId, "product": transaction.payment.productIdentifier,
            "quantity": "\(transaction.payment.quantity)", "price": transaction.price.map(Format.price),
            "date": transaction.transactionDate.map(Format.time),
            "original": transaction.originalTransactionIdentifier, "remarks": remarks.isEmpty ? nil : remarks,
            "error": transaction.error?.localizedDescription,
        ]
        for download in transaction.downloads {
            fields.add("download", DownloadTable.line(download))
        }
        fields.add("key", transaction.payment.requestIdentifier)
        return fields
    }

    private var next: Advice {
        row.isFinished
            ? "storebus tx list --as \(row.account)"
            : "storebus why \(Format.name(row.transaction))"
    }
}
