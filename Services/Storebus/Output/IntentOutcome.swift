import StoreModels

/// What has become of an intent that was answered:
///
/// ```
/// continued  i_01j…  com.example.hiddenBeaches  alice on alice-1
/// purchased  2000000000000001
/// ```
struct IntentOutcome: Hashable, Sendable {
    let intent: PurchaseIntent
    /// Of one that was continued; nil when there is none yet.
    let transaction: PaymentTransaction?

    /// That of a purchase, for one that was continued.
    var status: CLIExit {
        guard intent.state == .continued else { return .success }
        return switch transaction?.transactionState {
        case .purchased, .restored: .success
        case .failed: .purchaseFailed
        case .deferred: .purchaseDeferred
        case .purchasing, nil: .temporary
        }
    }

    var answer: Answer {
        var members = IntentTable.json(intent).objectValue ?? [:]
        members["transaction"] = transaction.map { JSONText.value($0) } ?? .null
        return Answer(
            data: .object(members), names: transaction.map { [Words.name($0)] } ?? [intent.intentIdentifier],
            next: next, notes: notes
        ) { text($0) }
        .about(intent.bundleId)
    }

    private func text(_ style: Style) -> String {
        let state = intent.state.rawValue
        let whose = [intent.account, intent.deviceId].compactMap { $0 }.joined(separator: " on ")
        let remarks = transaction == nil ? IntentTable.remarks(intent) : ""
        let words = [intent.intentIdentifier, intent.payment.productIdentifier, whose, remarks].filter { !$0.isEmpty }
        let first = style.paint(state, .of(state: state)) + "  " + words.map(Table.onOneLine).joined(separator: "  ")
        guard let transaction else { return "\(first)\n" }
        let outcome = transaction.transactionState.rawValue
        let name = [Words.name(transaction), Words.remarks(transaction)].filter { !$0.isEmpty }
        return "\(first)\n" + style.paint(outcome, .of(state: outcome)) + "  "
            + name.map(Table.onOneLine).joined(separator: "  ") + "\n"
    }

    private var notes: [String] {
        if intent.state == .cancelled, intent.feedback == nil {
            return ["the user was told nothing, which looks like a fault: --feedback TEXT"]
        }
        return []
    }

    private var next: String {
        guard let transaction else { return IntentTable.next(intent) }
        return switch transaction.transactionState {
        case .purchasing: "storebus prompt list --as \(intent.account ?? "alice")"
        case .deferred: "storebus approve \(Words.name(transaction))"
        case .purchased, .restored, .failed: Words.finish(transaction, as: intent.account ?? "alice")
        }
    }
}
