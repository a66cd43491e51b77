import StoreModels

/// What `storebus restore` says at the end.
///
/// ```
/// account   alice on device alice-2
/// restored  2 transactions      restore r_01j…
///
/// TRANSACTION       ORIGINAL          PRODUCT                  BOUGHT
/// 2000000000000007  2000000000000001  com.example.pro.monthly  2026-11-21 10:00:04Z
/// ```
struct RestoreOutcome: Sendable {
    var installation: Installation
    var restore: Restore
    var transactions: [PaymentTransaction]
    var key: String

    var status: CLIExit {
        switch restore.state {
        case .finished: .success
        case .failed: .purchaseFailed
        case .running: .temporary
        }
    }

    var answer: Answer {
        Answer(data: json, names: transactions.map { Words.name($0) }, next: next) { [self] in text($0) }
    }

    private func text(_ style: Style) -> String {
        var facts = Facts()
        facts.add("account", "\(installation.account) on device \(installation.deviceId)")
        facts.add("restore", restore.restoreIdentifier)
        facts.add("state", restore.state.rawValue, isState: true)
        facts.add("restored", Words.count(restore.restored, "transaction"))
        facts.add("error", restore.error.map { "\($0.name) (\($0.code)): \($0.localizedDescription)" })
        return facts.text(style) + (transactions.isEmpty ? "" : "\n" + table.text(style))
    }

    private var table: Table {
        var table = Table([.init("TRANSACTION"), .init("ORIGINAL"), .init("PRODUCT"), .init("BOUGHT")])
        for transaction in transactions {
            table.add([
                Words.name(transaction), transaction.originalTransactionIdentifier ?? "-",
                transaction.payment.productIdentifier,
                (transaction.original?.transaction.transactionDate ?? transaction.transactionDate).map(Words.time)
                    ?? "-",
            ])
        }
        return table
    }

    private var json: JSONValue {
        [
            "account": .string(installation.account), "deviceId": .string(installation.deviceId),
            "bundleId": .string(installation.bundleId), "restore": JSONText.value(restore),
            "transactions": .array(transactions.map { JSONText.value($0) }), "idempotencyKey": .string(key),
        ]
    }

    private var next: String {
        let isDefault = installation.deviceId.isExactly("\(installation.account)-1")
        let device = isDefault ? "" : " --device \(installation.deviceId)"
        switch restore.state {
        case .running: return "storebus restore --as \(installation.account)\(device) --idempotency-key \(key)"
        case .failed: return "storebus account show \(installation.account)"
        case .finished:
            guard let first = transactions.first else { return "storebus tx list --as \(installation.account)" }
            return "storebus finish \(Words.name(first)) --as \(installation.account)\(device)"
        }
    }
}
